import { homedir } from "node:os";
import { join } from "node:path";
import { createRedactor, readRuleFiles, RuleFileError } from "@orphus/agent-trace/redact";
import { Command, InvalidArgumentError, Option } from "commander";
import { RefusedError, refuseOpenHost } from "../guard.ts";
import type { RunningServer } from "../server.ts";
import { StoreError } from "../store/store.ts";
import { readToken } from "./token.ts";

interface ServeOptions {
  host: string;
  port: number;
  db: string;
  maxMb?: number;
  tokenFile?: string;
  tokenEnv?: string;
  baseUrl?: string;
  keepHours: number;
  rules?: string[];
  json?: true;
}

const MIB = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1000;

/** Where the store lies when none is named. */
const defaultStore = (env: NodeJS.ProcessEnv): string =>
  join(env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "cairn", "cairn.db");

const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };

const webAddress = (text: string): string => {
  if (!/^https?:\/\/[^\s]+$/.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError("It must begin with http:// or https://.");
  }
  return text;
};

const collect = (file: string, files: string[] = []): string[] => [...files, file];

export const serveCommand = (): Command =>
  new Command("serve")
    .description("take runs in, and show them to whoever has their address")
    .option("--host <host>", "address to listen on; other than loopback needs a token", "127.0.0.1")
    .option("--port <port>", "port to listen on, 0 for a free one", wholeNumber(0, 65_535), 8788)
    .option("--db <file>", "where runs are kept", defaultStore(process.env))
    .option("--max-mb <n>", "how large the store may become", wholeNumber(1, 1_000_000))
    .addOption(new Option("--token-file <file>", "file with the token writers must show; mode 600"))
    .addOption(new Option("--token-env <name>", "environment variable with that token"))
    .option("--base-url <url>", "address under which others reach the server", webAddress)
    .option("--keep-hours <n>", "how long a run is kept", wholeNumber(1, 87_600), 168)
    .option("--rules <file>", "rules that mask beside the built-in ones; may be given again", collect)
    .option("--json", "print one line of JSON instead of text")
    .action(async (options: ServeOptions) => {
      try {
        await serve(options);
      } catch (error) {
        fail(error, options.json === true);
      }
    });

const serve = async (options: ServeOptions): Promise<void> => {
  const token = readToken(
    {
      ...(options.tokenFile === undefined ? {} : { file: options.tokenFile }),
      ...(options.tokenEnv === undefined ? {} : { env: options.tokenEnv }),
    },
    process.env,
  );
  refuseOpenHost(options.host, token);
  const rules = readRuleFiles(options.rules ?? []);
  // Loaded when it is clear that they are needed, so that help and refusals come at once.
  const { openSqliteStore } = await import("../store/sqlite.ts");
  const { startServer } = await import("../server.ts");
  const store = openSqliteStore({
    path: options.db,
    ...(options.maxMb === undefined ? {} : { maxBytes: options.maxMb * MIB }),
  });
  let server: RunningServer;
  try {
    server = await startServer({
      store,
      host: options.host,
      port: options.port,
      keepMs: options.keepHours * HOUR_MS,
      rules,
      ...(token === undefined ? {} : { token }),
      ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
    });
  } catch (error) {
    await store.close();
    throw error;
  }
  announce(server.url, options, token !== undefined);
  const stop = (): void => {
    // A second signal ends the program the hard way.
    process.exitCode = 0;
    server.close().catch((error: unknown) => fail(error, options.json === true));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
};

const announce = (url: string, options: ServeOptions, guarded: boolean): void => {
  if (options.json === true) {
    console.log(JSON.stringify({ url, db: options.db, pid: process.pid, token: guarded }));
    return;
  }
  console.log(`Cairn listens on ${url}`);
  console.log(`Runs are kept in ${options.db} for ${options.keepHours} hours.`);
  if (!guarded) console.log("Everyone on this machine may write: no token is set (--token-file).");
};

/** Ends the program with what happened and what to do next, masked: a message may quote an argument. */
const fail = (error: unknown, json: boolean): void => {
  const { code, message: said, hint: advice } = explain(error);
  const redactor = createRedactor();
  const [message, hint] = [redactor.redact(said), redactor.redact(advice)];
  if (json) console.log(JSON.stringify({ error: { code, message, hint } }));
  else console.error(`cairn: ${message}\n  → ${hint}`);
  process.exitCode = 1;
};

const explain = (error: unknown): { code: string; message: string; hint: string } => {
  if (error instanceof RefusedError) return { code: "refused", message: error.message, hint: error.hint };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RuleFileError) {
    return { code: "refused", message, hint: "Correct the rule file, or leave --rules out." };
  }
  if (error instanceof StoreError) {
    return { code: "store_failed", message, hint: "Check the path and the free space of --db." };
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "internal";
  const hints: Readonly<Record<string, string>> = {
    EADDRINUSE: "Another program listens there: choose another --port, or 0 for a free one.",
    EADDRNOTAVAIL: "This machine has no such address: check --host.",
    EACCES: "Ports below 1024 are for the superuser: choose another --port.",
    ENOTFOUND: "The name leads nowhere: check --host.",
  };
  return { code, message, hint: hints[code] ?? "This is a fault of the program; please report it." };
};
