import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor, MASK } from "./index.ts";
import { BUILT_IN } from "./rules/all.ts";
import { parseRe2 } from "./syntax/parse.ts";
import { sampleOf } from "./syntax/sample.ts";

const redactor = createRedactor();
const SEEDS = [1, 2, 3];

/** Where people and agents write a secret: what stands before it and behind it. */
const CONTEXTS: Readonly<Record<string, readonly [string, string]>> = {
  bare: ["", ""],
  assignment: ["value = '", "' # note"],
  JSON: ['{"note": "', '", "count": 3}'],
  header: ["X-Note: ", "\r\nAccept: text/html"],
  URL: ["https://host.example/path?q=", "&page=2"],
  shell: ["run --with ", " && echo done"],
};

interface Fake {
  name: string;
  text: string;
  secret: string;
  context: readonly [string, string];
}

/** Texts drawn from the shape of every rule that needs no context, each in every context. */
const fakes: readonly Fake[] = BUILT_IN.rules
  .filter(({ proving }) => proving === true)
  .flatMap(({ id, regex }) =>
    SEEDS.flatMap((seed) => {
      const secret = sampleOf(parseRe2(regex), seed);
      return Object.entries(CONTEXTS).map(([where, context]) => ({
        name: `${id} ${where} ${seed}`,
        text: context[0] + secret + context[1],
        secret,
        context,
      }));
    }),
  );

const WAYS: Readonly<Record<string, (text: string) => string>> = {
  text: (text) => redactor.redact(text),
  "line of JSON": (text) => {
    const line: { note: string } = JSON.parse(redactor.jsonLine(JSON.stringify({ note: text })));
    return line.note;
  },
  "line by line": (text) => {
    const lines = redactor.lines();
    return text
      .split("\n")
      .map((line) => lines.text(line))
      .join("\n");
  },
};

/** Names of the fakes that are not masked, or lose their context. */
const failures = (mask: (text: string) => string): string[] =>
  fakes
    .filter(({ text, secret, context: [before, after] }) => {
      const masked = mask(text);
      const kept = masked.startsWith(before) && masked.endsWith(after);
      return masked.includes(secret) || !masked.includes(MASK) || !kept;
    })
    .map(({ name }) => name);

for (const [way, mask] of Object.entries(WAYS))
  test(`the gate of the rules: what is drawn from each is masked in every context, its context kept (${way})`, () => {
    assert.ok(fakes.length > 1000, String(fakes.length));
    assert.deepEqual(failures(mask), []);
  });

test("the gate of the rules finds every fake where nothing is masked", () => {
  assert.equal(failures((text) => text).length, fakes.length);
});

test("the gate of the rules: look-alikes stay as they are", () => {
  for (const text of [
    "const token: string = options.token;",
    "this.apiKey = config.apiKey;",
    "password: z.string().min(8)",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "id 8d0c5b1e-2f3a-4b6c-8d7e-9f0a1b2c3d4e",
    "https://host.example/path?page=2&sort=name",
    "max_tokens: 4096",
    "Authorization: Bearer $TOKEN",
    "export API_KEY=${API_KEY}",
    "git clone git@git.example:team/repo.git",
  ])
    assert.equal(redactor.redact(text), text);
});
