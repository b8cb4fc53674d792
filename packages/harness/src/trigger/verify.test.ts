import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import test from "node:test";
import fc from "fast-check";
import type { WebhookDefinition } from "../config/definition.ts";
import { hmacHex, hook, secret } from "./testing/hook.ts";
import { isGenuine, type Delivery } from "./verify.ts";

const now = Date.UTC(2026, 10, 30);
const key = randomBytes(24);
const standardSecret = `whsec_${key.toString("base64")}`;

interface Scheme {
  webhook: WebhookDefinition;
  secret: string;
  sign(body: Uint8Array): Record<string, string>;
}

const standardHeaders = (body: Uint8Array, at = now, id = "msg_1"): Record<string, string> => {
  const time = String(Math.floor(at / 1000));
  const signature = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": `v1a,x v1,${signature}` };
};

const schemes: readonly Scheme[] = [
  { webhook: hook({ verify: "bearer" }), secret, sign: () => ({ authorization: `Bearer ${secret}` }) },
  {
    webhook: hook({ verify: "hmac-sha256", signatureHeader: "x-sig", signaturePrefix: "v0=" }),
    secret,
    sign: (body) => ({ "x-sig": `v0=${hmacHex(body)}` }),
  },
  { webhook: hook(), secret, sign: (body) => ({ "x-hub-signature-256": `sha256=${hmacHex(body)}` }) },
  { webhook: hook({ verify: "gitea" }), secret, sign: (body) => ({ "x-gitea-signature": hmacHex(body) }) },
  { webhook: hook({ verify: "gitlab" }), secret, sign: () => ({ "x-gitlab-token": secret }) },
  {
    webhook: hook({ verify: "standard-webhooks" }),
    secret: standardSecret,
    sign: (body) => standardHeaders(body),
  },
];

const genuine = ({ webhook, secret: known }: Scheme, delivery: Delivery, at = now): boolean =>
  isGenuine(delivery, known, webhook, at);

const signsBody = ({ webhook }: Scheme): boolean =>
  webhook.verify !== "bearer" && webhook.verify !== "gitlab";

test("what the sender signed is genuine; without the proof, or with that of another scheme, it is not", () => {
  const body = Buffer.from('{"a":1}');
  for (const scheme of schemes) {
    assert.equal(genuine(scheme, { headers: scheme.sign(body), body }), true, scheme.webhook.verify);
    assert.equal(genuine(scheme, { headers: {}, body }), false, scheme.webhook.verify);
    for (const other of schemes.filter((each) => each !== scheme))
      assert.equal(genuine(scheme, { headers: other.sign(body), body }), false, scheme.webhook.verify);
  }
});

test("known signatures of the senders' own documentation", () => {
  const body = Buffer.from("Hello, World!");
  const github = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  const headers = { "x-hub-signature-256": github };
  assert.equal(isGenuine({ headers, body }, ["It's a Secret", "to Everybody"].join(" "), hook(), now), true);
  const standard = hook({ verify: "standard-webhooks" });
  const delivery = {
    headers: {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    body: Buffer.from('{"test": 2432232314}'),
  };
  const published = ["whsec", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"].join("_");
  assert.equal(isGenuine(delivery, published, standard, 1_614_265_330_000), true);
});

test("no change of a signed body, of a signature or of a secret goes unseen", () => {
  const change = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) });
  fc.assert(
    fc.property(
      fc.constantFrom(...schemes),
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      change,
      (scheme, body, { at, by }) => {
        const headers = scheme.sign(body);
        assert.equal(genuine(scheme, { headers, body }), true);
        const bent = Uint8Array.from(body, (byte, index) => (index === at % body.length ? byte ^ by : byte));
        assert.equal(genuine(scheme, { headers, body: bent }), !signsBody(scheme));
        for (const [name, value] of Object.entries(headers)) {
          if (name === "webhook-signature") continue;
          // The digits after the prefix; hexadecimal ones may be of either case.
          const digits = value.length - 1 - (at % Math.min(16, value.length));
          const other = `${value.slice(0, digits)}${value[digits] === "0" ? "1" : "0"}${value.slice(digits + 1)}`;
          assert.equal(genuine(scheme, { headers: { ...headers, [name]: other }, body }), false, name);
        }
        const wrong = { ...scheme, secret: `${scheme.secret.slice(0, -2)}AA` };
        assert.equal(genuine(wrong, { headers, body }), wrong.secret === scheme.secret);
      },
    ),
    { numRuns: 200 },
  );
});

test("a standard webhook is believed for five minutes around its time, under its own id", () => {
  const body = Buffer.from("{}");
  const scheme = schemes.find(({ webhook }) => webhook.verify === "standard-webhooks") ?? assert.fail();
  for (const [offMs, expected] of [
    [-300_000, true],
    [300_000, true],
    [-301_000, false],
    [301_000, false],
  ] as const) {
    assert.equal(
      genuine(scheme, { headers: standardHeaders(body, now + offMs), body }),
      expected,
      String(offMs),
    );
  }
  const renamed = { ...standardHeaders(body), "webhook-id": "msg_2" };
  assert.equal(genuine(scheme, { headers: renamed, body }), false);
});

test("whatever is sent, it is refused in peace", () => {
  const header = fc.string({ unit: "binary", maxLength: 80 });
  const names = [
    "authorization",
    "x-sig",
    "x-hub-signature-256",
    "x-gitlab-token",
    "webhook-id",
    "webhook-timestamp",
  ];
  const headers = fc.dictionary(fc.constantFrom(...names, "webhook-signature"), header);
  fc.assert(
    fc.property(fc.constantFrom(...schemes), headers, fc.uint8Array(), (scheme, sent, body) => {
      assert.equal(genuine(scheme, { headers: sent, body }), false);
    }),
  );
});
