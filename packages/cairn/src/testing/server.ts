import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type ServerOptions, startServer } from "../server.ts";
import { openSqliteStore } from "../store/sqlite.ts";

/** A folder of the test's own, gone when it ends. */
export const testFolder = (t: TestContext): string => {
  const dir = mkdtempSync(join(tmpdir(), "cairn-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

export interface TestServer {
  url: string;
  /** The store's file. */
  db: string;
  store: ServerOptions["store"];
  /** What the server reported as its own errors. */
  reports: string[];
  post(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Ends the server before the test does. */
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Undefined when the answer is no JSON. */
  json: unknown;
}

/** The real server on a free loopback port over a store in a folder of its own; both are gone when the test ends. */
export const serve = async (
  t: TestContext,
  options: Partial<ServerOptions> & { maxBytes?: number } = {},
): Promise<TestServer> => {
  const { maxBytes, ...rest } = options;
  const db = join(testFolder(t), "store", "cairn.db");
  const store = openSqliteStore({ path: db, ...(maxBytes === undefined ? {} : { maxBytes }) });
  const reports: string[] = [];
  const server = await startServer({
    store,
    port: 0,
    report: (message) => reports.push(message),
    ...rest,
  });
  t.after(() => server.close());
  const ask = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(server.url + path, init);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };
  return {
    url: server.url,
    db,
    store,
    reports,
    post: (body, headers = {}) =>
      ask("/v1/runs", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    get: (path) => ask(path),
    close: () => server.close(),
  };
};

/** Text of an agent as a client sends it as output. */
export const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");
