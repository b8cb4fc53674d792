import assert from "node:assert/strict";
import { test } from "node:test";
import { corpusMissing, shapeIds } from "../testing/corpus.ts";
import { BUILT_IN } from "./all.ts";
import { checkRule, compileRules, RuleRefused } from "./build.ts";
import { HASH, KEYWORDS } from "./compiled.ts";

test("H-143 the shipped table is the one that is built from the rules; every rule passes its checks", () => {
  const built = compileRules(BUILT_IN);
  // Anchors are chosen by what was installed when the table was built; any place within the keyword is right.
  const withoutAnchors = (table: string): string => table.replaceAll(/^([^\t]*)\t\d+/gmu, "$1");
  assert.equal(withoutAnchors(built.keywords), withoutAnchors(KEYWORDS), "run scripts/redact/main.ts");
  assert.equal(built.hash, HASH, "run scripts/redact/main.ts");
  for (const line of KEYWORDS.split("\n")) {
    const [keyword = "", anchor] = line.split("\t");
    assert.ok(Number(anchor) <= Math.max(0, keyword.length - 3), line);
  }
});

test(
  "H-140 every shape that masks a secret has its rule, in this set or as a context scanner",
  { skip: corpusMissing },
  () => {
    const ours = new Set(BUILT_IN.rules.map(({ id }) => id));
    const { secret, identifier } = shapeIds();
    const name = (id: string): string => id.replace(/\.(\d)$/u, "-$1").replace("personnal", "personal");
    // These are found by scanners of their context, or by a wider rule of another name.
    const elsewhere = new Set([
      "aws-secret-access-key",
      "curl-auth-header",
      "curl-auth-user",
      "endorlabs-api-secret",
      "gcp-application-default-credentials",
      "gcp-service-account",
      "generic-api-key",
      "hashicorp-tf-password",
      "kubernetes-secret-yaml",
      "mongodb-connection-string",
      "private-key",
      "temporal-cloud-api-key.1",
    ]);
    assert.deepEqual(
      secret.filter((id) => !ours.has(name(id)) && !elsewhere.has(id)),
      [],
    );
    assert.deepEqual(
      identifier.filter((id) => ours.has(name(id))),
      [],
    );
  },
);

const sound = { id: "x", regex: "abcd_[0-9a-z]{20}" };

test("the build step refuses a rule without keyword, with an open or ambiguous part, or that its own samples miss", () => {
  assert.deepEqual(checkRule(sound), ["abcd_"]);
  const refused: [Partial<typeof sound> & { keywords?: string[]; edge?: boolean }, RegExp][] = [
    [{ regex: "[0-9a-z]{20}" }, /no keyword/u],
    [{ regex: "abcd_[0-9a-z]+" }, /open/u],
    [{ regex: "abcd_(?:[0-9a-z]{1,20}){1,20}_" }, /ways/u],
    [{ regex: "abcd_[0-9a-z]{20}", keywords: ["efgh"] }, /do not stand/u],
    [{ regex: "(?:abcd_){0,3}[0-9a-z]{0,3}", keywords: ["abcd_"] }, /do not stand|cut off/u],
    [{ regex: "abcd_[0-9a-z]{20}", keywords: ["ABCD"] }, /lower-case/u],
  ];
  for (const [change, message] of refused)
    assert.throws(
      () => checkRule({ ...sound, ...change }),
      (error) => error instanceof RuleRefused && message.test(error.message),
    );
  assert.throws(() => compileRules({ version: "1", rules: [sound, sound] }), /twice/u);
});
