import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { VERSION } from "./index.ts";

const DIRECT: readonly [string, RegExp][] = [
  ["clock", /\bDate\.now\(|\bnew Date\(\)|\bperformance\.|\bset(?:Timeout|Interval|Immediate)\(|hrtime/u],
  ["files", /from "(?:node:)?fs(?:\/promises)?"/u],
  ["processes", /from "(?:node:)?(?:child_process|worker_threads|cluster)"/u],
  ["environment", /\bprocess\.(?:env|cwd\(|argv|stdout|stderr|stdin|exit|pid|on\()|\bimport process\b/u],
  ["random numbers", /\bMath\.random\b|\brandom(?:Bytes|UUID)\b.*from "node:crypto"|\bcrypto\.random/u],
  [
    "network",
    /\bglobalThis\.fetch\b|(?<![.\w])fetch\(|from "(?:node:)?(?:net|http|https|tls|dgram|http2)"|\bWebSocket\b/u,
  ],
];

/** A capability named `process` is in scope there, and is not the global. */
const withoutCapabilities = (text: string): string =>
  /\bprocess\b[^;]*\} = |\{ (?:[\w, ]+, )?process(?:, [\w ]+)? \}|[{,] process\b/u.test(text)
    ? text.replaceAll(/\bprocess\.(?:env|cwd)\b(?!\()/gu, "")
    : text;

const reaches = (text: string): string[] =>
  DIRECT.filter(([, pattern]) => pattern.test(withoutCapabilities(text))).map(([what]) => what);

test("O-01 X-15 the world is reached in capabilities/node and nowhere else", () => {
  const files = globSync("**/*.ts", { cwd: import.meta.dirname, exclude: (name) => name === "testing" });
  const sources = files.filter((file) => !file.endsWith(".test.ts") && !file.includes("testing/"));
  assert.ok(sources.length > 60, "the sources were found");
  const found = sources
    .filter((file) => !file.startsWith(join("capabilities", "node")))
    .flatMap((file) =>
      reaches(readFileSync(join(import.meta.dirname, file), "utf8")).map((what) => `${file}: ${what}`),
    );
  assert.deepEqual(found, []);
  for (const [what] of DIRECT)
    assert.ok(
      sources.some((file) => reaches(readFileSync(join(import.meta.dirname, file), "utf8")).includes(what)),
      `the check can find ${what}`,
    );
});

test("the provider library is imported in provider/ only", () => {
  const files = globSync("**/*.ts", { cwd: import.meta.dirname });
  const importers = files.filter((file) =>
    /from "@earendil-works\/pi-ai|import\("@earendil-works\/pi-ai/u.test(
      readFileSync(join(import.meta.dirname, file), "utf8"),
    ),
  );
  const outside = importers.filter((file) => !file.startsWith("provider") && !file.endsWith(".test.ts"));
  assert.deepEqual([outside, importers.length > 0], [[], true]);
});

test("the version is the package's", () => {
  const text = readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8");
  assert.ok(text.includes(`"version": "${VERSION}"`));
});
