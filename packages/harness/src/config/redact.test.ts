import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { createRedactor } from "@orphus/agent-trace/redact";
import { folderWith, load, loadError, loadIn } from "./testing/file.ts";

const rule = (regex: string): string =>
  `[[rules]]\nid = "house"\nregex = '''${regex}'''\nkeywords = ["house"]\n`;

test("[redact] rules are read from the folder of the file, in the field's format", async (t) => {
  const folder = folderWith(t, {
    "harness.toml": '[redact]\nrules = ["a.toml", "sub/b.toml"]\n',
    "a.toml": rule("house~([0-9]{4})"),
    "sub/b.toml": rule("house!([0-9]{4})").replace('"house"', '"yard"'),
  });
  const { redactRules } = await loadIn(folder);
  const redactor = createRedactor({ rules: redactRules });
  assert.equal(redactor.redact("house~1234 house!5678"), "house~[REDACTED] house![REDACTED]");
  assert.deepEqual((await load(t, "")).redactRules, []);
});

test("a rule file that cannot be used is a configuration error with file, line and key of both", async (t) => {
  const good = rule("house~([0-9]{4})");
  const faults: [string | undefined, RegExp][] = [
    [undefined, /bad\.toml: the rule file does not exist/],
    [
      `${good}\n${rule("(?=x)").replace('"house"', '"lawn"')}`,
      /bad\.toml:6: rule lawn of the rule file: .* is no RE2/,
    ],
    [`${good}[[rules]]\nid = "x"\n`, /bad\.toml:5: rule x of the rule file has no regex/],
    ["title = 'none'\n", /bad\.toml: the rule file holds no rule/],
    ["a = 1\nb = = 2\n", /bad\.toml:2: /],
  ];
  for (const [text, message] of faults) {
    const folder = folderWith(t, {
      "harness.toml": '# rules\n[redact]\nrules = [\n  "good.toml",\n  "bad.toml",\n]\n',
      "good.toml": good,
      ...(text === undefined ? {} : { "bad.toml": text }),
    });
    const error = await loadError(loadIn(folder));
    assert.equal(error.code, "config_invalid");
    assert.match(error.message, /^harness\.toml:5:3: \[redact\] rules\[1\]: /);
    assert.match(error.message, message);
    assert.ok(error.message.includes(join(folder, "bad.toml")));
  }
  for (const [wrong, message] of [
    ["rules = 3", /\[redact\] rules: must be a list of paths/],
    ["rules = [1]", /\[redact\] rules/],
    ["rule = []", /\[redact\] rule: unknown key/],
  ] as const) {
    assert.match((await loadError(load(t, `[redact]\n${wrong}\n`))).message, message);
  }
});
