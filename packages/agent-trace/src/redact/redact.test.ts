import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor, MASK, stripControls } from "./index.ts";
import { drawn, githubToken, pem, slackToken, stripeKey } from "./testing/fakes.ts";

const redactor = createRedactor();

test("H-156 a Stripe live key, which no rule about names or headers sees, is masked", () => {
  const key = stripeKey();
  assert.equal(redactor.redact(`charge with ${key} now`), `charge with ${MASK} now`);
});

test("H-147 every finding is replaced with the one mask, its context kept", () => {
  const [a, b] = [githubToken(), slackToken()];
  assert.equal(redactor.redact(`a ${a} b ${b} c`), `a ${MASK} b ${MASK} c`);
  assert.equal(MASK, "[REDACTED]");
});

test("H-141 findings give rule and offsets, never the secret; a fingerprint tells equal secrets", () => {
  const key = stripeKey();
  const text = `x ${key} y ${key}`;
  const found = createRedactor({ fingerprintKey: "k" }).findings(text);
  assert.deepEqual(
    found.map(({ rule, start, end }) => ({ rule, start, end })),
    [
      { rule: "stripe-access-token", start: 2, end: 2 + key.length },
      { rule: "stripe-access-token", start: 5 + key.length, end: 5 + 2 * key.length },
    ],
  );
  assert.equal(found[0]?.fingerprint, found[1]?.fingerprint);
  assert.notEqual(
    found[0]?.fingerprint,
    createRedactor({ fingerprintKey: "l" }).findings(text)[0]?.fingerprint,
  );
  assert.ok(!JSON.stringify(found).includes(key));
  assert.ok(redactor.findings(text).every((finding) => finding.fingerprint === undefined));
});

const password = ["hunter2", "hunter2"].join("-");
const token = drawn(32, 7);
const contexts: [string, string][] = [
  ["URL userinfo of any scheme", `git clone https://joe:§${password}§@git.example.com/a.git`],
  ["URL userinfo without a user", `redis://:§${password}§@cache:6379/0`],
  ["URL userinfo, a token alone", `https://§${drawn(40)}§@git.example.com/x`],
  ["Authorization, any scheme", `Authorization: token §${["abc", "123"].join("")}§`],
  ["Authorization in a header option", `curl -H "Authorization: Bearer §${token}§" https://a.example`],
  ["Authorization in an object", `headers: { "Authorization": "Basic §${drawn(20)}§" }`],
  ["a token header", `X-Api-Key: §${drawn(12)}§`],
  ["Cookie", `Cookie: session=§${token}§; theme=dark`],
  ["Set-Cookie", `Set-Cookie: sid=§${token}§; Path=/; HttpOnly`],
  ["an assignment in capitals", `export DB_PASSWORD=§hunter2§`],
  ["an assignment in JSON", `{"user":"joe","password":"§${password}§"}`],
  ["an assignment in YAML", `  password: §hunter2§`],
  ["a query parameter", `GET /cb?access_token=§${token}§&state=1`],
  ["a flag", `mysql --password §${password}§ -h db`],
  ["a flag with an equals sign", `tool --api-key=§${token}§`],
  ["a joined short flag", `mysql -u root -p§Tr0ub4dor3§ db`],
  ["docker login", `docker login -u joe -p §${password}§ r.example.com`],
  ["sshpass", `sshpass -p §${password}§ ssh joe@host`],
  ["curl -u", `curl -fsS -u admin:§${password}§ https://x.example`],
  [".netrc", `machine a.example login joe password §${password}§`],
  [".netrc over lines", `machine a.example\n  login joe\n  password §${token}§`],
  [".pgpass", `db.internal:5432:app:joe:§s3cr3tpw99§`],
  ["a presigned URL", `https://b.example/k?X-Amz-Signature=§${"4d75b6ae".repeat(8)}§`],
  ["JSON inside a string", `body: "{\\"client_secret\\":\\"§${token}§\\"}"`],
];

for (const [name, marked] of contexts)
  test(`H-145 secrets known by their context: ${name}`, () => {
    const [before = "", secret = "", after = ""] = marked.split("§");
    assert.equal(redactor.redact(before + secret + after), before + MASK + after);
  });

test("H-145 a private key is masked between its lines, and to the end where it is cut off", () => {
  const [begin = "", ...rest] = pem([drawn(64, 2), drawn(64, 3)]);
  const end = rest.pop() ?? "";
  assert.equal(redactor.redact([begin, ...rest, end].join("\n")), [begin, MASK, end].join("\n"));
  assert.equal(redactor.redact(["see", begin, ...rest].join("\n")), ["see", begin, MASK].join("\n"));
  assert.equal(redactor.redact([...rest, end, "after"].join("\n")), [MASK, end, "after"].join("\n"));
});

const code = [
  "const apiKey = options.apiKey;",
  "this.botToken = config.botToken;",
  "function login(token: string, password: string | undefined): void {}",
  "password: getPassword(user),",
  'process.env["API_KEY"]',
  "token = new CancellationToken();",
  "headers.Authorization = `Bearer ${token}`;",
  "Authorization: Bearer <token>",
  "--token <token>  the token to use",
  "https://user:${PASSWORD}@host/",
  "max_tokens: 4096",
  "const { secret, token, ...rest } = props;",
  '"js-tokens": "^4.0.0",',
  "if (token === 'string') return;",
  "export API_KEY=$API_KEY",
  'password: { type: "string" }',
  "tokens: number;",
  "author: Someone Else",
];

for (const line of code)
  test(`code and placeholders stay: ${line}`, () => assert.equal(redactor.redact(line), line));

test("what is masked already is left alone, and masking twice is masking once", () => {
  const once = redactor.redact(`Authorization: Bearer ${token}\nDB_PASSWORD=${password}`);
  assert.equal(redactor.redact(once), once);
});

test("a secret found once is masked wherever else it stands in the text", () => {
  const secret = drawn(20, 9);
  assert.equal(
    redactor.redact(`export MY_SECRET=${secret}\nls /tmp/${secret}/x`),
    `export MY_SECRET=${MASK}\nls /tmp/${MASK}/x`,
  );
});

test("known values are masked plain, encoded and escaped", () => {
  const value = ['p"w', "ä/?&", "longer than one"].join("\\");
  const known = createRedactor({ values: [value, ""] });
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString("base64"),
    Buffer.from(value).toString("base64url"),
  ];
  for (const form of forms) {
    assert.ok(!known.redact(`before ${form} after`).includes(form), form);
    assert.equal(
      redactor.redact(`before ${form} after`),
      `before ${form} after`,
      "not known, it is no secret",
    );
  }
  const inside = Buffer.from(`user:${value}:more`).toString("base64");
  assert.match(
    known.redact(inside),
    /^.{4,10}\[REDACTED\].{4,10}$/u,
    "within something longer that was encoded",
  );
});

test("a secret behind or inside terminal colours is masked", () => {
  const [a, b] = [githubToken().slice(0, 18), githubToken().slice(18)];
  assert.equal(redactor.redact(`\u001b[31m${a}${b}\u001b[0m`), `\u001b[31m${MASK}\u001b[0m`);
  assert.equal(redactor.redact(`x ${a}\u001b[1m${b} y`), `x ${MASK} y`);
});

test("H-119 escape sequences and control characters are stripped, tab and line feed kept", () => {
  assert.equal(stripControls("\u001b[1;31mred\u001b[0m\tx\n\u001b]0;title\u0007y\u0000\r"), "red\tx\ny");
});

test("H-151 the rule set has one version and one hash, which rule files change", async () => {
  const { parseRuleFile } = await import("./index.ts");
  assert.match(redactor.version.set, /^\d+\.\d+\.\d+$/u);
  assert.match(redactor.version.hash, /^[0-9a-f]{16}$/u);
  const rules = parseRuleFile('[[rules]]\nid = "x"\nregex = "x{20}"\nkeywords = ["x"]\n');
  assert.notEqual(createRedactor({ rules }).version.hash, redactor.version.hash);
});

test("H-152 a redactor is built once: looking at a text again makes no expression anew", () => {
  const once = createRedactor();
  const text = `${stripeKey()} Authorization: Bearer ${token} curl -u a:b`;
  once.redact(text);
  const made: string[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, args: [string, string]) {
      made.push(args[0]);
      return new target(...args);
    },
  });
  try {
    once.redact(text);
    assert.deepEqual(made, []);
    createRedactor().redact(text);
    assert.ok(made.length > 0, "a new one does");
  } finally {
    globalThis.RegExp = original;
  }
});

test("control characters within a token are looked through", () => {
  const key = githubToken();
  for (const control of ["\u0000", "\u0001", "\u0007", "\b", "\u000e", "\u007f", "\u009b"])
    assert.equal(redactor.redact(`a ${key.slice(0, 12)}${control}${key.slice(12)} b`), `a ${MASK} b`);
});

test("however many secrets a text holds, each is masked wherever else it stands", () => {
  const secrets = Array.from({ length: 90 }, (_, index) => drawn(20, index + 1));
  const text = `${secrets.map((secret, index) => `export A${index}_TOKEN=${secret}`).join("\n")}\ngot ${secrets.join(" and ")}.`;
  const masked = redactor.redact(text);
  assert.deepEqual(
    secrets.filter((secret) => masked.includes(secret)),
    [],
  );
});

test("known values are masked in lower-case URLs, with escaped slashes, in ASCII JSON, line by line, and whatever they begin with", () => {
  const values = [
    "pa/ss+wo=rd9",
    "p\u00e4ssw\u00f6rd-xyz",
    "line-one-of-it\nline-two-of-it",
    "\u212aorrekt-horse-9",
  ];
  const known = createRedactor({ values });
  for (const form of [
    "pa%2fss%2bwo%3drd9",
    "pa\\/ss+wo=rd9",
    "p\\u00e4ssw\\u00f6rd-xyz",
    "line-two-of-it",
    "\u212aorrekt-horse-9",
  ])
    assert.equal(known.redact(`<${form}>`), `<${MASK}>`, form);
});
