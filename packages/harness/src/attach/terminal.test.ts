import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, createConnection, type Socket } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { encodeFromViewer, viewReader } from "../protocol/attach.ts";
import { Terminal } from "./terminal.ts";

const SIZE = { cols: 80, rows: 24 };

/** A terminal, and clients of it over real sockets. */
const lab = async (t: TestContext) => {
  const typed: string[] = [];
  const terminal = new Terminal(SIZE, {
    input: (bytes) => typed.push(Buffer.from(bytes).toString()),
    resize: () => undefined,
  });
  const dir = mkdtempSync(join(tmpdir(), "ha-"));
  const server = createServer();
  server.listen(join(dir, "s"));
  await once(server, "listening");
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const attach = async (): Promise<{ client: Socket; served: Socket }> => {
    const client = createConnection(join(dir, "s"));
    const served = await new Promise<Socket>((resolve) => server.once("connection", resolve));
    sockets.push(client, served);
    client.on("error", () => undefined);
    terminal.attach(served, { readOnly: false, since: 0 });
    return { client, served };
  };
  const output = (text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    terminal.screen.write(bytes, () => undefined);
    terminal.output(bytes, false);
    return new Promise((resolve) => terminal.screen.inOrder(resolve));
  };
  return { terminal, typed, join: attach, output };
};

const bytesOf = (socket: Socket): AsyncIterable<Buffer> => socket;

test("a client that sends half a frame is waited for, one that claims four gigabytes is cut off, and others go on", async (t) => {
  const { typed, join: attach, output } = await lab(t);
  const good = await attach();
  const half = await attach();
  half.client.write(Buffer.from([0, 0, 0, 9, 1, 65]));
  const liar = await attach();
  const cut = once(liar.client, "close");
  liar.client.resume();
  liar.client.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 1]));
  await cut;
  good.client.write(encodeFromViewer({ type: "size", size: SIZE }));
  good.client.write(encodeFromViewer({ type: "input", bytes: Buffer.from("hi") }));
  await output("to those who are left");
  let seen = "";
  const reader = viewReader();
  for await (const chunk of bytesOf(good.client)) {
    for (const message of reader.push(chunk)) {
      if (message.type === "output") seen += Buffer.from(message.bytes).toString();
    }
    if (seen.includes("to those who are left") && typed.includes("hi")) break;
  }
  assert.deepEqual(typed, ["hi"]);
});

test("H-183 a client that never reads costs at most its backlog, and gets the screen as it is once it reads", async (t) => {
  const { join: attach, output } = await lab(t);
  const { client, served } = await attach();
  client.pause();
  client.write(encodeFromViewer({ type: "size", size: SIZE }));
  const line = "x".repeat(78);
  let most = 0;
  for (let round = 0; round < 200; round += 1) {
    await output(`${line}\r\n`.repeat(400));
    most = Math.max(most, served.writableLength);
  }
  await output("the last line");
  // Sixteen megabytes were written; a little over one of them waits.
  assert.ok(most > 512 * 1024, "the client does fall behind");
  assert.ok(most < 2 * 1024 * 1024, String(most));
  let tail = "";
  const reader = viewReader();
  client.resume();
  for await (const chunk of bytesOf(client)) {
    for (const message of reader.push(chunk)) {
      if (message.type === "output") tail = (tail + Buffer.from(message.bytes).toString()).slice(-20_000);
    }
    if (tail.includes("the last line")) break;
  }
});
