import assert from "node:assert/strict";
import { cpuUsage } from "node:process";
import { test } from "node:test";
import { createRedactor } from "./index.ts";
import { BUILT_IN } from "./rules/all.ts";
import { KEYWORDS } from "./rules/compiled.ts";
import { parseRe2 } from "./syntax/parse.ts";
import { sampleOf } from "./syntax/sample.ts";

const redactor = createRedactor();
const SIZE = 6000;
/** CPU time. Quicker than this at `SIZE`, even work that grows with the square takes under two seconds for 100,000. */
const NOT_WORTH_DOUBLING_MS = 6;

type Attack = (size: number) => string;

const fill = (unit: string, size: number): string =>
  unit.repeat(Math.ceil(size / unit.length)).slice(0, size);

/** Hostile texts for one keyword: repeated, with what may follow it, and as the beginning of long runs. */
const attacks = (keyword: string): Attack[] => [
  (size) => fill(keyword, size),
  (size) => fill(`${keyword} = "`, size),
  (size) => fill(`${keyword}:\r\n`, size),
  (size) => fill(`${keyword}${" ".repeat(20)}`, size),
  (size) => keyword + fill("a1B", size),
  (size) => fill(`.${keyword}-A1b2C3d4E5f6G7h8`, size),
];

/**
 * Whether doubling the text at most doubles the CPU time (2.3 times). The least of some runs counts, and a comparison
 * that fails is made again; work that does grow faster fails every time.
 */
function growsLinearly(
  attack: Attack,
  run: (text: string) => void = (text) => void redactor.findings(text),
  { attempts = 6, floorMs = NOT_WORTH_DOUBLING_MS } = {},
): boolean {
  if (leastMs(attack(SIZE), run, 1) < floorMs) return true;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const half = leastMs(attack(5 * SIZE), run, 2 + attempt);
    const whole = leastMs(attack(10 * SIZE), run, 2 + attempt);
    if (whole <= 2.3 * half) return true;
  }
  return false;
}

/** The keywords, by what they call: a rule may have a hundred that differ in a digit. */
function keywordsByCalls(): Map<string, string[]> {
  const byCalls = new Map<string, string[]>();
  for (const line of KEYWORDS.split("\n")) {
    const [keyword = "", , ...calls] = line.split("\t");
    byCalls.set(calls.join(), [...(byCalls.get(calls.join()) ?? []), keyword]);
  }
  return byCalls;
}

function leastMs(text: string, run: (text: string) => void, runs: number): number {
  let least = Infinity;
  for (let i = 0; i < runs; i++) {
    const before = cpuUsage();
    run(text);
    least = Math.min(least, cpuUsage(before).user / 1000);
  }
  return least;
}

test("hostile text costs linear time, for the keywords of every rule and scanner", () => {
  const keywords = [...keywordsByCalls().values()].flatMap((same) => same.slice(0, 2));
  assert.ok(keywords.length > 350);
  assert.deepEqual(
    keywords.filter((keyword) => !attacks(keyword).every((attack) => growsLinearly(attack))),
    [],
  );
});

test("texts that nearly match cost linear time, for the shape of every rule", () => {
  const slow = BUILT_IN.rules.filter(({ regex }) => {
    const sample = sampleOf(parseRe2(regex), 3);
    const units = [sample, sample.slice(0, -1), `${sample.slice(0, -1)}\r`];
    return !units.every((unit) => growsLinearly((size) => fill(unit, size)));
  });
  assert.deepEqual(
    slow.map(({ id }) => id),
    [],
  );
});

test("the check of growth finds work that grows with the square", () => {
  const square = (text: string): void => {
    for (let i = 0; i < 4; i++) void /(?:a+)b/u.exec(text.slice(0, text.length / 3));
  };
  assert.equal(
    // However fast the machine, the growth itself is looked at.
    growsLinearly((size) => "a".repeat(size), square, { attempts: 1, floorMs: 0 }),
    false,
  );
});

test("many secrets in one line, and long lists under a secret's name, cost linear time", () => {
  const token = (index: number): string =>
    ["gh", "p_", index.toString(36).padStart(6, "x"), "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9v"].join("");
  const line: Attack = (size) =>
    Array.from({ length: size / 300 }, (_, index) => token(index).slice(0, 40)).join(" ".repeat(260));
  assert.ok(growsLinearly(line));
  const list: Attack = (size) =>
    JSON.stringify({ tokens: Array.from({ length: size / 6 }, (_, index) => `s${index % 1000}`) });
  assert.ok(growsLinearly(list, (text) => void redactor.jsonLine(text)));
});
