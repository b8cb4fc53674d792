import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import test from "node:test";
import { createSandbox, programs } from "../support/sandbox.ts";
import { filesIn, leaksIn, type Place } from "./search.ts";
import { asText, plantedSecrets } from "./secrets.ts";

test("H-138 H-165 what is sent to cairn is masked again: neither its store, its answers nor its pages hold a secret", async (t) => {
  const secrets = plantedSecrets(1);
  const text = asText(secrets);
  const sandbox = createSandbox(t);
  const db = join(sandbox.dir, "cairn", "cairn.db");
  const server = spawn(programs.cairn, ["serve", "--port", "0", "--db", db, "--json"], { env: sandbox.env });
  t.after(() => server.kill("SIGKILL"));
  const said: Buffer[] = [];
  server.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  const [line] = await once(server.stdout, "data");
  const { url } = Object(JSON.parse(String(line)));
  const heard: Place[] = [];
  const ask = async (path: string, body?: string): Promise<string> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(
      `${url}${path}`,
      body === undefined ? {} : { method: "POST", body, headers },
    );
    const answer = await response.text();
    const told = JSON.stringify([...response.headers]);
    heard.push({ name: `answer to ${path.slice(0, 12)}`, bytes: Buffer.from(answer + told) });
    return answer;
  };
  const span = {
    span_id: "s1",
    category: text.slice(0, 60),
    name: text,
    tool: text,
    args: { command: text, [secrets[3]?.secret ?? ""]: text, nested: [{ text }] },
    output: Buffer.from(text).toString("base64"),
  };
  const body = JSON.stringify({ title: text, prompt: text, model: text, on_behalf_of: text, spans: [span] });
  const { id } = Object(JSON.parse(await ask("/v1/runs", body)));
  assert.equal(typeof id, "string");
  for (const path of [`/v1/runs/${id}`, `/run/${id}`, `/v1/runs/${id}/spans/s1/output`]) {
    assert.match(await ask(path), /\[REDACTED\]/);
  }
  // What is refused is not repeated.
  await ask("/v1/runs", JSON.stringify({ [text]: text }));
  await ask("/v1/runs", JSON.stringify({ spans: [{ ...span, span_id: secrets[3]?.secret }] }));
  await ask("/v1/runs", text);
  await ask(`/run/${secrets[3]?.secret}`);
  server.kill("SIGTERM");
  await once(server, "close");

  assert.ok(leaksIn([{ name: "request", bytes: Buffer.from(body) }], secrets).length >= secrets.length);
  const written = filesIn(join(sandbox.dir, "cairn"));
  assert.ok(written.length > 0);
  const outputs = [...heard, ...written, { name: "stderr", bytes: Buffer.concat(said) }];
  assert.deepEqual(leaksIn(outputs, secrets), []);
});
