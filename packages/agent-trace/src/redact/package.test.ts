import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";

const packages = join(import.meta.dirname, "../../..");

/** Source files under the folder with what they import. */
function imports(folder: string): { file: string; from: string[] }[] {
  return globSync("**/src/**/*.ts", {
    cwd: folder,
    exclude: (name) => name === "node_modules" || name === "dist",
  })
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => ({
      file,
      from: [...readFileSync(join(folder, file), "utf8").matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/gu)].map(
        ([, source = ""]) => source,
      ),
    }));
}

const all = imports(packages);
const mine = all.filter(({ file }) => file.startsWith(join("agent-trace", "src", "redact")));

test("H-142 only the redactor depends on the engines its rules run in", () => {
  const users = all.filter(({ from }) => from.includes("re2js")).map(({ file }) => file);
  assert.ok(users.length > 0 && users.every((file) => mine.some((own) => own.file === file)), users.join());
});

test("H-139 the redactor is one package room: it imports nothing of its package but a type", () => {
  const redact = join(packages, "agent-trace/src/redact");
  const outside = mine.flatMap(({ file, from }) =>
    from
      .filter((source) => source.startsWith("."))
      .map((source) => relative(redact, join(packages, file, "..", source)))
      .filter((path) => path.startsWith("..")),
  );
  assert.deepEqual([...new Set(outside)], [join("..", "reader.ts")]);
});

test("H-144 no network: nothing that could open a connection is imported", () => {
  const network =
    /^(?:node:)?(?:net|tls|dgram|dns|http|https|http2|undici|child_process|worker_threads)(?:\/|$)/u;
  assert.ok(network.test("node:http2") && network.test("net"));
  assert.deepEqual(
    mine.filter(({ from }) => from.some((source) => network.test(source))),
    [],
  );
  const texts = mine.map(({ file }) => readFileSync(join(packages, file), "utf8"));
  assert.ok(texts.every((text) => !/\bfetch\(|Date\.now|performance\.now|Math\.random/u.test(text)));
});
