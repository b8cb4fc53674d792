import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { createRedactor, MASK, parseRuleFile } from "../index.ts";
import { emitRegExp } from "../syntax/emit.ts";
import { parseRe2 } from "../syntax/parse.ts";
import { sampleOf } from "../syntax/sample.ts";
import { drawn } from "../testing/fakes.ts";
import { BUILT_IN } from "./all.ts";
import { compilePattern } from "./pattern.ts";

const value = drawn(24, 11);
const file = (rule: string): string => `[[rules]]\nid = "house"\n${rule}`;
const redact = (toml: string, text: string): string =>
  createRedactor({ rules: parseRuleFile(toml) }).redact(text);

test("a rule file's rules apply beside the built-in set: keywords, secret group, entropy, allow-lists", () => {
  const plain = file(`regex = '''(?i)house[-_]id\\s*~\\s*(\\w{24})\\b'''\nkeywords = ["House"]`);
  assert.equal(redact(plain, `HOUSE_ID ~ ${value} x`), `HOUSE_ID ~ ${MASK} x`);
  assert.equal(redact(plain, `home_id ~ ${value} x`), `home_id ~ ${value} x`);
  const group = file(`regex = "(h)~(\\\\w+)"\nsecretGroup = 2\nkeywords = ["h~"]`);
  assert.equal(redact(group, "h~abc"), `h~${MASK}`);
  const entropy = file(`regex = "h~(\\\\w+)"\nentropy = 3\nkeywords = ["h~"]`);
  assert.equal(redact(entropy, "h~aaaaaaaa"), "h~aaaaaaaa");
  assert.equal(redact(entropy, `h~${value}`), `h~${MASK}`);
  const allowed = `${entropy}\n[[rules.allowlists]]\nregexes = ["^${value.slice(0, 4)}"]\n[allowlist]\nstopwords = ["zzz"]\n`;
  assert.equal(redact(allowed, `h~${value}`), `h~${value}`);
  assert.equal(redact(allowed, `h~${drawn(24, 12)}zzZ`), `h~${drawn(24, 12)}zzZ`);
  assert.equal(redact(allowed, `h~${drawn(24, 12)}`), `h~${MASK}`);
});

test("a rule without keywords is tried on every text, one with a path alone is passed over", () => {
  assert.equal(redact(file(`regex = "qq[0-9]{6}"`), "a qq123456 b"), `a ${MASK} b`);
  assert.throws(() => parseRuleFile(file(`path = "\\\\.pem$"`)), /holds no rule/u);
});

test("a rule that cannot be used is named", () => {
  assert.throws(() => parseRuleFile(file(`regex = "(?=x)"`)), /rule house/u);
  assert.throws(() => parseRuleFile(file(`keywords = ["x"]`)), /rule house of the rule file has no regex/u);
  assert.throws(() => parseRuleFile(`[[rules]]\nregex = "x"`), /no id/u);
  assert.throws(() => parseRuleFile("not toml"), Error);
});

test("rules that a backtracking engine could take long over run in the linear one", () => {
  assert.equal(compilePattern("abc[0-9]{20}").engine, "v8");
  for (const open of ["(a+)+b", "curl.*-u\\s+\\S+", "(?:[a-z]{1,20}){1,20}x", "\\pL{3}"])
    assert.equal(compilePattern(open).engine, "re2js", open);
  assert.equal(
    redact(file(`regex = "(h+)+~(x)"\nsecretGroup = 2\nkeywords = ["h"]`), `${"h".repeat(300)}!~ hh~x`),
    `${"h".repeat(300)}!~ hh~${MASK}`,
  );
});

// Where RE2 and JavaScript differ: the dot, blanks, folding, ends, classes, flags in mid-pattern, code points.
const traps: [string, string[]][] = [
  ["a.b", ["a\rb", "a\u2028b", "a\nb", "a😀b"]],
  ["a\\sb", ["a\u00a0b", "a\u000bb", "a b", "a\ufeffb"]],
  ["(?i)key", ["\u212aey", "KEY", "kEy"]],
  ["(?i)[^s]x", ["\u017fx", "Sx", "tx"]],
  ["(?i)a(?-i:B)c", ["AbC", "ABC", "aBC"]],
  ["a(?i)b|c", ["aB", "AB", "C", "c"]],
  ["x\\z", ["x", "x\n", "xz"]],
  ["^x$", ["x", "x\n", "\nx"]],
  ["(?m)^x$", ["a\nx\nb", "a\rx\rb", "x"]],
  ["[[:alnum:]]+-", ["aB9-", ":-", "é-"]],
  ["[^[:space:]]x", ["\u000bx", " x", "ax"]],
  ["(?s:.)x", ["\nx", "\rx"]],
  ["\\Qa.b\\E", ["a.b", "acb"]],
  ["^.{2}$", ["😀a", "😀", "ab"]],
  ["(?U)a+", ["aaa"]],
  ["(?P<n>a)|(b)", ["b", "a"]],
  ["(?:.|[\\n\\r])x", ["\rx", "\nx", "ax"]],
  ["[]a]+|[^]a]", ["]a]", "b"]],
  ["\\x{1F600}|\\x41", ["😀", "A"]],
  ["a{,3}b", ["a{,3}b", "aab"]],
];

test("expressions are translated exactly: the traps between RE2 and JavaScript", () => {
  for (const [source, texts] of traps)
    for (const text of texts)
      assert.deepEqual(
        translated(source, text),
        reference(source, text),
        `${source} on ${JSON.stringify(text)}`,
      );
});

test("V8 and the linear engine find the same in texts drawn from the shapes of all rules", () => {
  const noise = fc.constantFrom(
    "",
    " ",
    "\r",
    "\n",
    "\u00a0",
    "\u017f",
    "\u212a",
    "😀",
    "k",
    "S",
    "=",
    "-",
    "\u2028",
  );
  // RE2 itself repeats no more than a thousand times.
  const rules = BUILT_IN.rules.filter(({ regex }, index) => index % 4 === 0 && !/,[2-9]\d{3}\}/u.test(regex));
  fc.assert(
    fc.property(
      fc.constantFrom(...rules),
      fc.nat(1000),
      noise,
      noise,
      fc.nat(300),
      (rule, seed, before, after, cut) => {
        const sample = sampleOf(parseRe2(rule.regex), seed + 1);
        const at = cut % (sample.length + 1);
        for (const text of [before + sample + after, sample.slice(0, at) + before + sample.slice(at)])
          assert.deepEqual(
            translated(rule.regex, text),
            reference(rule.regex, text),
            `${rule.id} on ${JSON.stringify(text)}`,
          );
      },
    ),
    { numRuns: 150 },
  );
});

function translated(source: string, text: string): unknown {
  const match = new RegExp(emitRegExp(parseRe2(source)), "du").exec(text);
  return match === null ? null : (match.indices ?? []).map((span) => span ?? null);
}

function reference(source: string, text: string): unknown {
  const matcher = RE2JS.compile(source).matcher(text);
  if (!matcher.find()) return null;
  return Array.from({ length: matcher.groupCount() + 1 }, (_, group) =>
    matcher.start(group) < 0 ? null : [matcher.start(group), matcher.end(group)],
  );
}

test("a rule file masks at least what its own rules find, by the reference engine", () => {
  const rules: [regex: string, keyword: string][] = [
    ["house-[0-9]{8}-[a-f]{4}", "house-"],
    ['(?i)villa_(?:id|no)[ \\t]*[=:][ \\t]*"?([0-9]{8,12})"?', "villa_"],
    ["(?:yard)~(?P<value>[^\\s~]{8,20})~?", "yard~"],
    ["(?s)roof<.{1,6}>([[:alnum:]]{10,40})", "roof<"],
    ["(?:shed|barn)/([A-Z]+[0-9]{8})+", "shed"],
  ];
  const toml = rules
    .map(
      ([regex, keyword], at) =>
        `[[rules]]\nid = "r${at}"\nregex = '''${regex}'''\nkeywords = ["${keyword}"]\n`,
    )
    .join("\n");
  const redactor = createRedactor({ rules: parseRuleFile(toml) });
  const around = fc.string({
    unit: fc.constantFrom("a", " ", "\n", "\r", "\u00a0", "é", "😀", "=", '"'),
    maxLength: 6,
  });
  let found = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...rules),
      fc.nat(500),
      around,
      around,
      ([regex, keyword], seed, before, after) => {
        const text = `${before} ${sampleOf(parseRe2(regex), seed + 1)} ${after}`;
        if (!text.toLowerCase().includes(keyword)) return;
        const matcher = RE2JS.compile(regex).matcher(text);
        while (matcher.find()) {
          const secret = matcher.groupCount() > 0 ? matcher.group(1) : matcher.group();
          if (secret === null || secret === undefined || secret === "") continue;
          found += 1;
          assert.equal(redactor.redact(text).includes(secret), false, JSON.stringify(text));
        }
      },
    ),
    { numRuns: 300 },
  );
  assert.ok(found > 200, `${found} found`);
});
