import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor, MASK } from "../index.ts";
import { drawn, githubToken, stripeKey } from "../testing/fakes.ts";

const redactor = createRedactor();
const mask = (value: unknown): unknown => JSON.parse(redactor.jsonLine(JSON.stringify(value)));

test("H-60 each string is decoded, masked a line at a time, and re-encoded only if it changed", () => {
  const key = stripeKey();
  const line = `{"a" : "caf\\u00e9 \\/ x", "b":"first\\n\\"key\\": \\"${key}\\"\\nlast", "n": 1.50}`;
  assert.equal(
    redactor.jsonLine(line),
    `{"a" : "caf\\u00e9 \\/ x", "b":"first\\n\\"key\\": \\"${MASK}\\"\\nlast", "n": 1.50}`,
  );
});

test("H-60 a secret whose characters are escaped is masked", () => {
  const key = stripeKey();
  const escaped = key.replaceAll("_", "\\u005f");
  assert.equal(redactor.jsonLine(`["${escaped}"]`), `["${MASK}"]`);
  const url = ["https:\\/\\/joe:", "s3cr3tpw99", "@h.example\\/"].join("");
  assert.deepEqual(JSON.parse(redactor.jsonLine(`["${url}"]`)), [`https://joe:${MASK}@h.example/`]);
});

test("H-61 a string value under a secret-named key is masked whole", () => {
  assert.deepEqual(mask({ password: "correct horse battery staple", note: "kept" }), {
    password: MASK,
    note: "kept",
  });
  assert.deepEqual(mask({ tokens: ["one", "two"], headers: { Authorization: "x" } }), {
    tokens: [MASK, MASK],
    headers: { Authorization: MASK },
  });
  assert.deepEqual(mask({ auth: { user: "joe" }, secret: null, token: 5, apiKey: "" }), {
    auth: { user: "joe" },
    secret: null,
    token: 5,
    apiKey: "",
  });
});

const table: [string, boolean][] = [
  ["apiKey", true],
  ["api_key", true],
  ["API-KEY", true],
  ["x.api.key", true],
  ["authorization", true],
  ["Proxy-Authorization", true],
  ["auth", true],
  ["npmAuth", true],
  ["secret", true],
  ["clientSecret", true],
  ["client_secrets", true],
  ["token", true],
  ["accessToken", true],
  ["refresh-token", true],
  ["idTokens", true],
  ["password", true],
  ["dbPassword", true],
  ["PGPASSWORD", true],
  ["credential", true],
  ["awsCredentials", true],
  ["privateKey", true],
  ["passphrase", true],
  ["client-key-data", true],
  ["cookie", true],
  ["Set-Cookie", true],
  ["author", false],
  ["tokenizer", false],
  ["secretary", false],
  ["key", false],
  ["publicKey", false],
  ["keyboard", false],
  ["token_type", false],
  ["passwordHint", false],
  ["apiKeySource", false],
  ["oauth", false],
  ["session_id", false],
];

test("H-61 which keys name a secret: separators, capitals, plurals", () => {
  for (const [key, secret] of table)
    assert.deepEqual(mask({ [key]: "plain" }), { [key]: secret ? MASK : "plain" }, key);
});

test("H-62 a masked line is still valid JSON, whatever stands around the secret", () => {
  const key = githubToken();
  for (const around of ['"', "\\", "\n", "\u2028", "\ud800", "é", "😀", "\u0000"]) {
    const value = { text: `${around}${key}${around}`, [`${around}k`]: [key] };
    assert.deepEqual(mask(value), { text: `${around}${MASK}${around}`, [`${around}k`]: [MASK] });
  }
});

test("a clean line stays byte-identical, and a line that is not JSON is masked as text", () => {
  const clean = '{ "input_tokens":5 ,"text":"a\\u0041\\/", "x":[ ] }';
  assert.equal(redactor.jsonLine(clean), clean);
  assert.equal(redactor.jsonLine(`DB_PASSWORD=hunter2`), `DB_PASSWORD=${MASK}`);
  assert.equal(redactor.jsonLine(`{"a": DB_PASSWORD=hunter2`), `{"a": DB_PASSWORD=${MASK}`);
  assert.equal(redactor.jsonLine(`{"a":"torn ${stripeKey()}`), `{"a":"torn ${MASK}`);
});

test("a secret found in one string is masked in the others of the record", () => {
  const secret = drawn(20, 4);
  assert.deepEqual(mask({ command: `export MY_TOKEN=${secret}`, output: `got ${secret}.`, [secret]: 1 }), {
    command: `export MY_TOKEN=${MASK}`,
    output: `got ${MASK}.`,
    [MASK]: 1,
  });
});

test("in id positions only known values and shapes that prove themselves are masked", () => {
  const id = drawn(24, 5);
  const value = { session_token: id, message: { items: [{ token: id }] }, free: `token=${id}` };
  const ids = createRedactor({
    idPaths: ["session_token", "message.items.*.token"],
    values: ["known-value-1"],
  });
  assert.deepEqual(ids.value(value), { ...value, free: `token=${MASK}` });
  assert.deepEqual(ids.value({ session_token: stripeKey() }), { session_token: MASK });
  assert.deepEqual(ids.value({ session_token: "a known-value-1 b" }), { session_token: `a ${MASK} b` });
});

test("value() masks as a line is masked, and gives back a clean value itself", () => {
  const clean = { a: [1, null, "x"], __proto__: null };
  assert.equal(redactor.value(clean), clean);
  assert.deepEqual(redactor.value([{ a: stripeKey() }, stripeKey()]), [{ a: MASK }, MASK]);
  assert.equal(redactor.value(stripeKey()), MASK);
});

test("what stands behind the escape of a line end, tab or quote is read as it is meant", () => {
  const password = ["hunter", "2xq9"].join("");
  for (const before of ["\n", "\t", "\r\n", '"', "\\", "\f", "é"])
    for (const text of [
      `${before}pwd=${password}`,
      `${before}auth_pw: ${password}`,
      `x${before}--token ${password}`,
    ])
      assert.deepEqual(mask([text]), [redactor.redact(text)], text);
  assert.deepEqual(mask([`\npwd=${password}`]), [`\npwd=${MASK}`]);
});

test("value() masks what JSON would write: without what is undefined, with dates as text", () => {
  const key = githubToken();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- callers without types hand over such values
  const loose = {
    x: key,
    note: undefined,
    when: new Date(0),
    f: () => 1,
    list: [undefined, "b"],
    cmd: "ls",
  } as never;
  assert.deepEqual(redactor.value(loose), {
    x: MASK,
    when: "1970-01-01T00:00:00.000Z",
    list: [null, "b"],
    cmd: "ls",
  });
  let deep: unknown = key;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built above
  assert.equal(redactor.value(deep as never), MASK);
});

test("a byte order mark before a record changes nothing but itself", () => {
  const line = '{"password":"correct horse battery"}';
  for (const masked of [redactor.jsonLine(`\ufeff${line}`), redactor.lines().json(`\ufeff${line}`)])
    assert.equal(masked, `\ufeff{"password":"${MASK}"}`);
});

test("every string in the lists under a secret's name is masked, past what is no string; what comes after is not", () => {
  assert.deepEqual(mask({ tokens: [null, "one two", 3, ["four five"], true, "six"], note: "kept here" }), {
    tokens: [null, MASK, 3, [MASK], true, MASK],
    note: "kept here",
  });
  assert.deepEqual(mask({ token: 5, a: "kept here", b: ["kept too"] }), {
    token: 5,
    a: "kept here",
    b: ["kept too"],
  });
  assert.deepEqual(mask({ tokens: [{ a: "kept here" }] }), { tokens: [{ a: "kept here" }] });
});

test("a secret is masked in the other strings of its record however it is escaped there", () => {
  const line = '{"password":"correct/horse_battery","o":"got correct\\/horse\\u005fbattery!"}';
  assert.equal(redactor.jsonLine(line), `{"password":"${MASK}","o":"got ${MASK}!"}`);
});

test("an id that holds an escaped quote is still in its id position", () => {
  const ids = createRedactor({ idPaths: ["session_token"] });
  const line = JSON.stringify({ session_token: `${drawn(24, 6)}"x` });
  assert.equal(ids.jsonLine(line), line);
});
