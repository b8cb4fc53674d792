/**
 * What masking costs, as ratios within one run: against `JSON.parse` of as many bytes of stream-json.
 * Usage: `npx -c 'node --conditions=orphus-source bench/redact.ts'`; with `--profile-loop` it only repeats the mixed text.
 */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createRedactor } from "../packages/agent-trace/src/redact/index.ts";
import { installPeer } from "./peer.ts";

const BYTES = 4 * 1024 * 1024;
const root = join(import.meta.dirname, "..");

/** Source, documentation and data of the packages that are installed here: text as agents read it. */
function mixedText(): string {
  let text = "";
  const files = globSync(
    "node_modules/{hono,openai,zod,yaml,ws,knip,commander,fast-check,typescript,smol-toml,unbash,re2js,protobufjs,picomatch}/**/*.{ts,js,mjs,md,json}",
    {
      cwd: root,
    },
  );
  // Every seventh file: a little of each package.
  for (const file of files.sort().filter((_, index) => index % 5 === 0)) {
    text += readFileSync(join(root, file), "utf8").slice(0, 40_000);
    if (text.length > BYTES) break;
  }
  return text.slice(0, BYTES);
}

/** Records as an agent writes them: short ones, and results of tools that hold pieces of the text. */
function streamLines(text: string): string[] {
  const lines: string[] = [];
  for (let at = 0, size = 0, turn = 0; size < BYTES; turn++) {
    const piece = text.slice(at, at + (turn % 5 === 4 ? 6000 : 700));
    at = (at + piece.length) % (text.length - 8000);
    const drawn = createHash("sha256").update(String(turn));
    const id = `toolu_01${drawn
      .copy()
      .digest("base64")
      .replaceAll(/[^0-9A-Za-z]/gu, "")
      .slice(0, 22)}`;
    const uuid = drawn.digest("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/u, "$1-$2-$3-$4-$5");
    const session_id = "8d0c5b1e-2f3a-4b6c-8d7e-9f0a1b2c3d4e";
    const usage = {
      input_tokens: turn,
      cache_read_input_tokens: 18_000 + turn,
      output_tokens: 12,
      service_tier: "standard",
    };
    const message =
      turn % 5 === 4
        ? { role: "user", content: [{ tool_use_id: id, type: "tool_result", content: piece }] }
        : {
            id: `msg_${id}`,
            role: "assistant",
            content: [{ type: "text", text: piece }],
            stop_reason: null,
            usage,
          };
    const line = JSON.stringify({ type: "assistant", message, parent_tool_use_id: null, session_id, uuid });
    lines.push(line);
    size += line.length + 1;
  }
  return lines;
}

function timed(work: () => void): number {
  const before = performance.now();
  work();
  return performance.now() - before;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

const started = performance.now();
const redactor = createRedactor();
redactor.redact("start");
const startUp = performance.now() - started;

const text = mixedText();
const lines = streamLines(text);
const stream = lines.join("\n");
const result = JSON.stringify({
  type: "user",
  message: { content: [{ type: "tool_result", content: text }] },
});

if (process.argv.includes("--profile-loop")) for (let i = 0; i < 100; i++) redactor.redact(text);
if (process.argv.includes("--profile-json"))
  for (let i = 0; i < 100; i++) for (const line of lines) redactor.jsonLine(line);

const parse = (): void => {
  for (const line of lines) JSON.parse(line);
};

/** Times the work and `JSON.parse` in turn, so that a change of the machine's pace meets both. */
const report = (name: string, bytes: number, work: () => void, goal: number): void => {
  const rounds = Array.from({ length: 25 }, () => ({ work: timed(work), parse: timed(parse) }));
  const counted = rounds.slice(5);
  const ratio = median(counted.map((round) => round.work / ((round.parse / stream.length) * bytes)));
  const ms = median(counted.map((round) => round.work));
  console.log(
    `${name.padEnd(44)} ${ms.toFixed(1).padStart(7)} ms  ${ratio.toFixed(2)}x JSON.parse  (goal ${goal}x)`,
  );
};

console.log(`start-up ${startUp.toFixed(1)} ms (goal 20 ms)`);
report("mixed text, whole", text.length, () => redactor.redact(text), 2.5);
const textLines = text.split("\n");
report(
  "mixed text, a line a call",
  text.length,
  () => {
    const each = redactor.lines();
    for (const line of textLines) each.text(line);
  },
  2.5,
);
report(
  "stream-json lines",
  stream.length,
  () => {
    const each = redactor.lines();
    for (const line of lines) each.json(line);
  },
  2.5,
);
report("one 4 MiB tool result in one line", result.length, () => redactor.jsonLine(result), 3);

await comparePeer();

interface Secretlint {
  lintSource(request: object): Promise<unknown>;
}

/** The same text through `@secretlint/core` with its recommended preset: whole, and a sample of its lines one by one. */
async function comparePeer(): Promise<void> {
  const preset = "@secretlint/secretlint-rule-preset-recommend";
  const peer = installPeer("secretlint", { "@secretlint/core": "13.1.0", [preset]: "13.1.0" });
  if (peer === undefined) return console.log("@secretlint/core cannot be installed here: not compared");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the documented interface of the version installed
  const { lintSource } = peer("@secretlint/core") as Secretlint;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the documented interface of the version installed
  const { creator } = peer(preset) as { creator: unknown };
  const rules = [{ id: preset, rule: creator, options: {} }];
  const lint = (content: string): Promise<unknown> =>
    lintSource({
      source: { filePath: "text.txt", content, contentType: "text", ext: ".txt" },
      options: { config: { rules }, noPhysicFilePath: true, locale: "en" },
    });
  const few = textLines.filter((_, index) => index % 40 === 0);
  const compare = async (
    name: string,
    theirs: () => Promise<void>,
    ours: () => void,
    goal: number,
  ): Promise<void> => {
    const ratios: number[] = [];
    for (let round = 0; round < 7; round++) {
      const before = performance.now();
      await theirs();
      const spent = performance.now() - before;
      ratios.push(spent / timed(ours));
    }
    const ratio = median(ratios.slice(2)).toFixed(1);
    console.log(`${name.padEnd(44)} ${ratio}x as fast as @secretlint/core (goal ${goal}x)`);
  };
  await compare(
    "mixed text, whole",
    async () => void (await lint(text)),
    () => void redactor.redact(text),
    3,
  );
  await compare(
    "mixed text, a line a call",
    async () => {
      for (const line of few) await lint(line);
    },
    () => {
      for (const line of few) redactor.redact(line);
    },
    100,
  );
}
