import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createFakeCapabilities,
  createFakeFileSystem,
  createReplayRuntime,
  type JsonObject,
  type ToolResultMessage,
} from "../index.ts";
import { globExpression } from "./walk.ts";

const TREE = {
  "/home/dev/project/src/a.ts": "const one = 1;\nconst two = 2;\nconst three = 3;\n",
  "/home/dev/project/src/deep/b.ts": "// ONE more\n",
  "/home/dev/project/README.md": "# one\n",
  "/home/dev/project/.git/HEAD": "one",
  "/home/dev/project/node_modules/x/index.js": "one",
  "/home/dev/project/image.png": "one\0",
};

/** Results of calls, made one after the other by a scripted model. */
const callAll = async (
  calls: readonly [string, JsonObject][],
  files: Record<string, string> = TREE,
): Promise<{ results: ToolResultMessage[]; fs: ReturnType<typeof createFakeFileSystem> }> => {
  const fs = createFakeFileSystem(files);
  const runtime = await createReplayRuntime({
    script: [{ toolCalls: calls.map(([name, args], at) => ({ id: `c${at}`, name, arguments: args })) }],
    capabilities: createFakeCapabilities({ fs }),
    session: { kind: "memory" },
    tools: ["read", "write", "edit", "bash", "grep", "find", "ls"],
  });
  await runtime.session.prompt("go");
  return { results: runtime.session.messages.filter((message) => message.role === "toolResult"), fs };
};

const textOf = (result: ToolResultMessage | undefined): string =>
  (result?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");

const textsOf = async (...calls: [string, JsonObject][]): Promise<string[]> =>
  (await callAll(calls)).results.map(textOf);

test("ls names what is in a folder, folders as such", async () => {
  assert.deepEqual(
    await textsOf(["ls", {}], ["ls", { path: "src", limit: 1 }], ["ls", { path: "nowhere" }]),
    [".git/\nREADME.md\nimage.png\nnode_modules/\nsrc/", "a.ts\n[1 more]", "nowhere: no such file (ENOENT)"],
  );
});

test("find goes by names, or by paths when the pattern has a folder", async () => {
  assert.deepEqual(
    await textsOf(
      ["find", { pattern: "*.ts" }],
      ["find", { pattern: "src/*.{ts,md}" }],
      ["find", { pattern: "**/*", limit: 2 }],
      ["find", { pattern: "*.rs" }],
      ["find", { pattern: "*", path: "nowhere" }],
    ),
    [
      "src/a.ts\nsrc/deep/b.ts",
      "src/a.ts",
      "README.md\nimage.png\n[There are more. Narrow the pattern.]",
      "No file fits.",
      "nowhere: no such folder",
    ],
  );
});

test("grep tells file and line, with what stands around, and passes over what is no text", async () => {
  assert.deepEqual(
    await textsOf(
      ["grep", { pattern: "one" }],
      ["grep", { pattern: "ONE", ignoreCase: true, glob: "*.ts" }],
      ["grep", { pattern: "two", path: "src/a.ts", context: 1 }],
      ["grep", { pattern: "= 1;", literal: true }],
      ["grep", { pattern: "const", limit: 2 }],
      ["grep", { pattern: "(" }],
      ["grep", { pattern: "nothing like it" }],
    ),
    [
      "README.md:1:# one\nsrc/a.ts:1:const one = 1;",
      "src/a.ts:1:const one = 1;\nsrc/deep/b.ts:1:// ONE more",
      "/home/dev/project/src/a.ts-1-const one = 1;\n/home/dev/project/src/a.ts:2:const two = 2;\n/home/dev/project/src/a.ts-3-const three = 3;",
      "src/a.ts:1:const one = 1;",
      "src/a.ts:1:const one = 1;\nsrc/a.ts:2:const two = 2;\n[There are more. Narrow the pattern.]",
      "Invalid regular expression: /(/u: Unterminated group; set literal to look for the text as it is",
      "Nothing found.",
    ],
  );
});

test("what a tool gives is bounded by lines and bytes, and says how to go on", async () => {
  const files = {
    "/home/dev/project/lines.txt": Array.from({ length: 2_500 }, (_, at) => `line ${at + 1}`).join("\n"),
    "/home/dev/project/wide.txt": Array.from({ length: 100 }, () => "x".repeat(1_000)).join("\n"),
  };
  const { results } = await callAll(
    [
      ["read", { path: "lines.txt" }],
      ["read", { path: "lines.txt", offset: 2_499 }],
      ["read", { path: "wide.txt" }],
      ["grep", { pattern: "line", limit: 2_400 }],
    ],
    files,
  );
  const [lines, end, wide, grep] = results.map(textOf);
  assert.match(lines ?? "", /line 2000\n\n\[Cut here\. Go on with offset 2001 of 2500 lines\.\]$/u);
  assert.equal(end, "line 2499\nline 2500");
  assert.ok(Buffer.byteLength(wide ?? "") < 52_000);
  assert.match(wide ?? "", /Go on with offset 52 of 100/u);
  assert.match(grep ?? "", /lines\.txt:2000:line 2000\n\[There are more/u);
});

test("an edit that does not fit changes nothing", async () => {
  const { results, fs } = await callAll([
    ["edit", { path: "src/a.ts", edits: [{ oldText: "const", newText: "let" }] }],
    ["edit", { path: "src/a.ts", edits: [{ oldText: "four", newText: "5" }] }],
    [
      "edit",
      {
        path: "src/a.ts",
        edits: [
          { oldText: "one = 1;\nconst", newText: "a" },
          { oldText: "const two", newText: "b" },
        ],
      },
    ],
    ["edit", { path: "src/a.ts", edits: [{ oldText: "one", newText: "$& un" }] }],
  ]);
  assert.deepEqual(
    results.map(({ errorCode }) => errorCode),
    ["not_unique", "no_match", "overlap", undefined],
  );
  assert.equal(
    fs.files.get("/home/dev/project/src/a.ts")?.data,
    "const $& un = 1;\nconst two = 2;\nconst three = 3;\n",
  );
});

test("patterns of file names", () => {
  for (const [pattern, path, fits] of [
    ["*.ts", "a.ts", true],
    ["*.ts", "src/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**", "src/deep/a.ts", true],
    ["a?c.{js,ts}", "abc.ts", true],
    ["a+b(1).txt", "a+b(1).txt", true],
    ["a,b", "a,b", true],
  ] as const)
    assert.equal(globExpression(pattern).test(path), fits, `${pattern} ${path}`);
});
