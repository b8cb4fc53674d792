import { closeSync, openSync, writeSync } from "node:fs";

const MAX_INLINE_BODY_BYTES = 900_000;
/** What one turn adds to the conversation, and so to the body of every request after it. */
const TURN_BYTES = 2_000;

const timestamp = "2026-01-01T00:00:00.000Z";
const words = 'the price list is read from "shop/prices.json"\\n and line twelve of it has no total, '.repeat(
  40,
);

/** Writes a session as orphus leaves one: its requests grow from turn to turn until it has about `bytes`. Returns its size. */
export const generateSession = (path: string, bytes: number): number => {
  const file = openSync(path, "wx", 0o600);
  let last: string | null = null;
  let count = 0;
  const write = (value: object): number => writeSync(file, `${JSON.stringify(value)}\n`);
  const add = (type: string, rest: object): number => {
    count += 1;
    const parentId = last;
    last = count.toString(16).padStart(8, "0");
    return write({ type, id: last, parentId, timestamp, ...rest });
  };
  const agent = { name: "orphus", version: "0.1.0" };
  let written = write({
    type: "session",
    version: 3,
    id: "00000000-0000-7000-8000-000000000000",
    timestamp,
    cwd: "/",
    agent,
  });
  written += add("message", {
    message: { role: "user", content: [{ type: "text", text: "go" }], timestamp: 0 },
  });
  let body = '{"model":"m","messages":[';
  for (let turn = 0; ; turn += 1) {
    if (written >= bytes) break;
    const request = { requestId: `request-${turn}`, turn, attempt: 0, sha256: "0".repeat(64) };
    const said = `${turn} ${words}`.slice(0, TURN_BYTES);
    if (body.length < MAX_INLINE_BODY_BYTES)
      body += `${JSON.stringify({ role: "user", content: [{ type: "text", text: said }] })},`;
    written += add("custom", {
      customType: "orphus.provider.request.v1",
      data: { ...request, body, timestamp: 0 },
    });
    const content = [{ type: "text", text: said }];
    const message = { role: "assistant", content, stopReason: "toolUse", timestamp: 0 };
    written += add("message", { message, request: { id: request.requestId, sha256: request.sha256 } });
    const stream = { byteLength: said.length, sha256: request.sha256, text: `data: ${said}` };
    written += add("custom", { customType: "orphus.provider.response.v1", data: { ...request, stream } });
  }
  closeSync(file);
  return written;
};
