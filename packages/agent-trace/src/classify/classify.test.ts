import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { classifyCall, classifyError, type ToolTable } from "./index.ts";
import type { Action, ErrorClass, ErrorKind } from "../item.ts";
import type { JsonValue } from "../reader.ts";

const tools: ToolTable = {
  bash: "shell",
  read: "read",
  edit: "edit",
  grep: "search",
  apply_patch: "patch",
  task: "agent",
};
const classify = (tool: string, input: JsonValue) =>
  classifyCall({ tool, input }, { tools, cwd: "/home/me/shop", home: "/home/me" });

const commands: readonly [command: string, action: Action][] = [
  ["npm test", "verify"],
  ["cd packages/api && npm test | tail -20", "verify"],
  ["npm run test:unit -- --watch=false", "verify"],
  ["npx vitest run", "verify"],
  ["timeout 60 python3 -m pytest -q", "verify"],
  ["cargo clippy --all", "verify"],
  ["make lint", "verify"],
  ["./gradlew check", "verify"],
  ["go vet ./...", "verify"],
  ['echo "npm test"', "exec"],
  ["git commit -m 'run npm test'", "exec"],
  ["rg -n total src | head", "search"],
  ["find . -name '*.ts'", "search"],
  ["find . -name '*.tmp' -delete", "exec"],
  ["git grep total", "search"],
  ["ls -la && cat cart.js", "search"],
  ["sed -n 1,40p cart.js", "read"],
  ["sed -i s/a/b/ cart.js", "exec"],
  ["cat a.md b.md", "read"],
  ["git diff HEAD~1", "read"],
  ["curl https://example.com", "exec"],
  ["rm -rf dist", "exec"],
  ["if [ -f x ]; then npm test; fi", "verify"],
  ["(", "exec"],
  ["", "exec"],
];

test("a shell command is what its most telling part does", () => {
  for (const [command, action] of commands)
    assert.equal(classify("Bash", { command }).action, action, command);
});

test("paths are relative to the working directory; what lies outside is said to", () => {
  const read = classify("Read", { file_path: "/home/me/shop/src/cart.js", offset: 10, limit: 5 });
  assert.deepEqual(read.targets, [{ path: "src/cart.js", touch: "read", lines: [[10, 14]] }]);
  assert.deepEqual(read.outside, []);
  const outside = classify("Bash", {
    command: "cat /etc/hosts ~/notes.md > /tmp/out.txt; cd src && cat cart.js",
  });
  assert.deepEqual(
    outside.outside.map(({ path, scope }) => [path, scope]),
    [["/tmp/out.txt", "tmp"]],
  );
  const elsewhere = classify("Bash", { command: "cat /etc/hosts ~/notes.md" });
  assert.deepEqual(
    elsewhere.outside.map(({ path, scope, touch }) => [path, scope, touch]),
    [
      ["/etc/hosts", "other", "read"],
      ["/home/me/notes.md", "home", "read"],
    ],
  );
  assert.deepEqual(classify("Bash", { command: "cd src && cat cart.js" }).targets, [
    { path: "src/cart.js", touch: "read" },
  ]);
});

test("a patch names its files", () => {
  const patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** Add File: b.ts\n+z\n*** End Patch";
  assert.deepEqual(classify("apply_patch", { input: patch }).targets, [
    { path: "a.ts", touch: "edit" },
    { path: "b.ts", touch: "edit" },
  ]);
});

test("H-125 a summary is one line of at most 1 KiB, whatever the arguments", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 3000 }),
      fc.constantFrom("Bash", "Read", "Grep", "other"),
      (text, tool) => {
        const { summary } = classify(tool, {
          command: text,
          file_path: text,
          pattern: text,
          description: text.repeat(3),
        });
        assert.ok(Buffer.byteLength(summary) <= 1024);
        // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
        assert.doesNotMatch(summary, /[\u0000-\u001f\u007f-\u009f]/);
      },
    ),
  );
});

test("equal arguments have equal digests, in whatever order their keys came", () => {
  assert.equal(
    classify("x", { a: 1, b: { c: 2, d: 3 } }).inputDigest,
    classify("x", { b: { d: 3, c: 2 }, a: 1 }).inputDigest,
  );
  assert.notEqual(classify("x", { a: 1 }).inputDigest, classify("x", { a: 2 }).inputDigest);
  assert.match(classify("x", {}).inputDigest, /^[\da-f]{32}$/);
});

const modelErrors: readonly [
  text: string,
  status: number | undefined,
  errorClass: ErrorClass,
  errorKind: ErrorKind,
][] = [
  ["API Error: Request rejected (429) · You have hit your usage limit", 429, "quota", "usage_limit"],
  ["Rate limit reached for requests", 429, "quota", "rate_limited"],
  ["429 Too Many Requests, retry after timeout", undefined, "quota", "rate_limited"],
  ["Your credit balance is too low", 400, "quota", "billing"],
  ["Invalid API key · Please run /login", 401, "auth", "unauthorized"],
  ["unexpected status 403 Forbidden: upstream gateway", undefined, "auth", "forbidden"],
  ["Request timed out.", undefined, "timeout", "timed_out"],
  ["upstream request timeout", 504, "timeout", "timed_out"],
  ["Overloaded", 529, "transport", "overloaded"],
  ["stream disconnected before completion", undefined, "transport", "stream_cut"],
  ["connect ECONNREFUSED 127.0.0.1:1", undefined, "transport", "connection"],
  ["Internal server error", 500, "transport", "server_error"],
  ["Prompt is too long", 400, "other", "context_overflow"],
  ["the model shrugged", undefined, "other", "unclassified"],
];

test("the five classes of a failed model request: context first, then quota, auth, timeout, transport; else unclassified", () => {
  for (const [text, status, errorClass, errorKind] of modelErrors) {
    assert.deepEqual(classifyError(text, { about: "model", status }), { errorClass, errorKind }, text);
  }
});

const toolErrors: readonly [
  text: string,
  exitCode: number | undefined,
  errorClass: ErrorClass,
  errorKind: ErrorKind,
][] = [
  ["Exit code 1\nno such file", 1, "other", "exit_nonzero"],
  ["File does not exist.", undefined, "other", "not_found"],
  ["String to replace not found in file.", undefined, "other", "no_match"],
  ["InputValidationError: Edit failed", undefined, "other", "invalid_arguments"],
  ["Claude requested permissions to write", undefined, "other", "denied"],
  ["Command timed out after 2m", undefined, "timeout", "timed_out"],
  ["something odd", undefined, "other", "unclassified"],
];

test("a failed call has a class and a kind as well", () => {
  for (const [text, exitCode, errorClass, errorKind] of toolErrors) {
    assert.deepEqual(classifyError(text, { about: "tool", exitCode }), { errorClass, errorKind }, text);
  }
});
