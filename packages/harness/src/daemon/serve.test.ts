import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import fc from "fast-check";
import { HarnessError } from "../base/errors.ts";
import { connect, DaemonError } from "../client/index.ts";
import { REQUEST_LIMIT } from "../protocol/lines.ts";
import { rawClient, served } from "./testing/served.ts";

const codeOf = (message: unknown): unknown => {
  assert.ok(typeof message === "object" && message !== null && "error" in message, JSON.stringify(message));
  assert.ok(typeof message.error === "object" && message.error !== null && "code" in message.error);
  return message.error.code;
};

test("a client asks, overlapping, and each question gets its own answer", async (t) => {
  const { path } = await served(t, {
    list: () => [],
    runs: async ({ limit }) => {
      // The first question is answered last.
      for (let turn = 0; turn < 10 - (limit ?? 0); turn += 1) await Promise.resolve();
      return [];
    },
    stop: ({ name }) => ({ name, kind: "codex", state: "stopped", workdir: "/" }),
  });
  const client = await connect({ socket: path, name: "test" });
  t.after(() => client.close());
  assert.equal(client.daemon.pid, process.pid);
  const names = ["a", "b", "c"];
  const [runs, ...rows] = await Promise.all([
    client.call("runs", { limit: 1 }),
    ...names.map((name) => client.call("stop", { name })),
  ]);
  assert.deepEqual(runs, []);
  assert.deepEqual(
    rows.map((row) => row.name),
    names,
  );
});

test("an answer of no carries its code and hint, masked; a bug says nothing of itself and is logged", async (t) => {
  const { path, logged } = await served(t, {
    list: () => {
      throw new HarnessError("not_found", "no hunter2 here", { hint: "try hunter2" });
    },
  });
  const client = await connect({ socket: path, name: "test" });
  t.after(() => client.close());
  await assert.rejects(client.call("list", {}), (error) => {
    assert.ok(error instanceof DaemonError);
    assert.deepEqual(
      [error.code, error.message, error.hint],
      ["not_found", "no [REDACTED] here", "try [REDACTED]"],
    );
    return true;
  });
  await assert.rejects(client.call("shutdown", {}), (error) => {
    assert.ok(error instanceof DaemonError);
    assert.equal(error.message, "The daemon failed to answer.");
    return true;
  });
  assert.match(logged.join(""), /shutdown failed: Error: a plain bug/);
});

test("wrong messages are answered with what is wrong, and the connection goes on", async (t) => {
  const { path } = await served(t, {});
  const client = await rawClient(t, path);
  const wrong: [string, number][] = [
    ["not json", -32700],
    ["[]", -32600],
    ["null", -32600],
    ['{"id":1,"method":"list"}', -32600],
    ['{"jsonrpc":"2.0","method":"list"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"list"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"toString"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"runs","params":{"limit":"all"}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"runs","params":7}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"logs","params":{"name":"a","runId":-1}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"run","params":{"kind":"pi","prompt":"x","workdir":"here"}}', -32602],
    ["x".repeat(REQUEST_LIMIT + 1), -32600],
  ];
  for (const [text, code] of wrong) {
    client.socket.write(`${text}\n`);
    assert.equal(codeOf(await client.line()), code, text.slice(0, 80));
  }
  client.socket.write('{"jsonrpc":"2.0","id":9,"method":"hello","params":{"client":"t","protocol":"1.0"}}\n');
  assert.match(JSON.stringify(await client.line()), /"id":9,"result"/);
});

test("garbage in any pieces is answered or ignored, and the next client is served", async (t) => {
  const { path } = await served(t, { list: () => [] });
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((json) => Buffer.from(`${json}\n`)),
    fc
      .record({
        jsonrpc: fc.constant("2.0"),
        id: fc.jsonValue(),
        method: fc.constantFrom("list", "runs", "logs", "run", "hello"),
        params: fc.jsonValue(),
      })
      .map((message) => Buffer.from(`${JSON.stringify(message)}\n`)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const { socket } = await rawClient(t, path);
      for (const bytes of pieces) socket.write(bytes);
      socket.end();
      socket.resume();
      await once(socket, "close");
      const client = await connect({ socket: path, name: "next" });
      assert.deepEqual(await client.call("list", {}), []);
      client.close();
    }),
    { numRuns: 60 },
  );
});

test("a client that never reads stops being read, and costs nobody else", async (t) => {
  let asked = 0;
  const { path } = await served(t, {
    list: () => {
      asked += 1;
      return Array.from({ length: 200 }, () => ({
        name: "x".repeat(1000),
        kind: "pi",
        state: "stopped",
        workdir: "/",
      }));
    },
  });
  const deaf = await rawClient(t, path);
  deaf.socket.pause();
  const request = '{"jsonrpc":"2.0","id":1,"method":"list"}\n';
  deaf.socket.write(request.repeat(5000));
  const client = await connect({ socket: path, name: "test" });
  t.after(() => client.close());
  for (let turn = 0; turn < 20; turn += 1) assert.equal((await client.call("list", {})).length, 200);
  assert.ok(asked < 20 + 200, `${asked} questions were worked on`);
});

test("what a caller waits for is told that the caller has gone", async (t) => {
  let told: ((gone: AbortSignal) => void) | undefined;
  const asked = new Promise<AbortSignal>((resolve) => (told = resolve));
  const { path } = await served(t, {
    trigger: async (_, { gone }) => {
      told?.(gone);
      await once(gone, "abort");
      throw new HarnessError("internal", "nobody hears this");
    },
  });
  const client = await connect({ socket: path, name: "test" });
  const answer = client.call("trigger", { name: "a", wait: true });
  const gone = await asked;
  client.close();
  await assert.rejects(answer, DaemonError);
  if (!gone.aborted) await once(gone, "abort");
});

test("a daemon of another major is refused, and so is one that is not there", async (t) => {
  const { path } = await served(t, {
    hello: () => {
      throw new HarnessError("version_mismatch", "The daemon speaks protocol 2.0.");
    },
  });
  const refusal = async (socket: string): Promise<unknown> =>
    connect({ socket, name: "test" }).catch((error: unknown) => error instanceof DaemonError && error.code);
  assert.equal(await refusal(path), "version_mismatch");
  assert.equal(await refusal(`${path}.not`), "daemon_not_running");
});
