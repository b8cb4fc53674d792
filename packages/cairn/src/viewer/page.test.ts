import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { base64, serve, type Answer, type TestServer } from "../testing/server.ts";
import { formatBytes, formatCount, formatDuration } from "./format.ts";

const page = async (server: TestServer, run: unknown): Promise<Answer> => {
  const created = await server.post(run);
  assert.equal(created.status, 201, created.text);
  assert.ok(typeof created.json === "object" && created.json !== null && "id" in created.json);
  return server.get(`/run/${String(created.json.id)}`);
};

/** The text between tags, as a reader sees it. */
const readable = (html: string): string =>
  html
    .replaceAll(/<style>.*?<\/style>/gs, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

test("the page has the run's title, model, status, wall time and tokens", async (t) => {
  const server = await serve(t);
  const { text, status, headers } = await page(server, {
    title: "Nightly triage",
    model: "a-model-1",
    token_count: 184_230,
    started_at: "2026-11-30T03:00:00Z",
    spans: [{ span_id: "a", category: "exec", tool: "Bash", start_offset_ms: 500, duration_ms: 64_000 }],
  });
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^text\/html/);
  assert.match(text, /<h1[^>]*>Nightly triage<\/h1>/);
  for (const fact of [
    "Status finished",
    "Model a-model-1",
    "Wall time 1 min 05 s",
    "Tokens 184 230",
    "Tool calls 1",
    "Started 2026-11-30 03:00:00 UTC",
  ]) {
    assert.ok(readable(text).includes(fact), fact);
  }
});

test("what is not known is not shown", async (t) => {
  const { text } = await page(await serve(t), { spans: [] });
  assert.ok(readable(text).includes("Untitled run"));
  for (const fact of ["Tokens", "Model", "Prompt", "On behalf of"]) {
    assert.equal(readable(text).includes(fact), false, fact);
  }
});

test("the waterfall places each span by its time, says the same in words, and leads to its event", async (t) => {
  const { text } = await page(await serve(t), {
    spans: [
      { span_id: "q", category: "prompt", name: "Do it", start_offset_ms: 0 },
      { span_id: "a", category: "tool", name: "helper", start_offset_ms: 250, duration_ms: 500 },
      {
        span_id: "b",
        parent_span_id: "a",
        category: "read",
        tool: "Read",
        start_offset_ms: 500,
        duration_ms: 500,
      },
      { span_id: "c", category: "of-tomorrow", start_offset_ms: 1000 },
    ],
  });
  assert.match(text, /\.s1\{left:25%;width:50%\}/);
  assert.match(text, /\.s2\{left:50%;width:50%\}/);
  assert.match(text, /class="point s0 c-prompt"/);
  assert.match(text, /class="bar s1 c-tool"/);
  assert.match(text, /class="point s3 c-other"/);
  assert.match(readable(text), /helper , starts at 250 ms, took 500 ms/);
  for (const anchor of ["s0", "s1", "s2", "s3"]) {
    assert.equal(text.split(`href="#${anchor}"`).length, 2);
    assert.equal(text.split(`id="${anchor}"`).length, 2);
  }
});

test("events carry arguments and output; a span without either says so; a large output is a link", async (t) => {
  const { text } = await page(await serve(t), {
    spans: [
      { span_id: "a", category: "exec", args: { command: 'echo "a" | wc', n: 3 }, output: base64("1\n") },
      { span_id: "b", category: "exec", args: { edits: [{ from: 1 }] } },
      { span_id: "c/d", category: "exec", output: base64("x".repeat(20_000)), output_truncated: true },
      { span_id: "e", category: "meta" },
    ],
  });
  assert.match(text, /<dt[^>]*>command<\/dt>\s*<dd[^>]*>echo &quot;a&quot; \| wc<\/dd>/);
  assert.match(text, /<pre[^>]*>1\n<\/pre>/);
  assert.match(text, /&quot;edits&quot;: \[/);
  assert.match(text, /href="\/v1\/runs\/[0-9a-z]+\/spans\/c%2Fd\/output"/);
  assert.match(readable(text), /Fetch the output , 19\.5 KiB, cut by its sender/);
  assert.equal(text.split("No arguments and no output were recorded.").length, 2);
});

const hostile = [
  "<script>alert(1)</script>",
  "</style><script>alert(2)</script>",
  '"><img src=x onerror=alert(3)>',
  "' onmouseover='alert(4)",
  "javascript:alert(5)",
  "</pre></dd><iframe srcdoc=x>",
  "${7*7}{{7*7}}",
];

test("what an agent wrote is inert wherever it stands", async (t) => {
  const text = hostile.join(" ");
  const category = hostile[2]?.slice(0, 64) ?? "";
  const server = await serve(t);
  const { text: html, headers } = await page(server, {
    title: text,
    prompt: text,
    model: text,
    on_behalf_of: text,
    spans: [
      {
        span_id: text.slice(0, 200),
        category,
        name: text,
        tool: text,
        args: { [text]: text },
        output: base64(text),
      },
      {
        span_id: "b",
        category: "write",
        args: [text],
        output: base64(text.repeat(200)),
        produced_artifact_id: text.slice(0, 200),
      },
    ],
  });
  const tags = new Set(html.match(/<\/?[a-z0-9]+/gi)?.map((tag) => tag.replace(/^<\/?/, "").toLowerCase()));
  for (const tag of ["script", "img", "iframe"]) assert.equal(tags.has(tag), false, tag);
  assert.equal(tags.has("pre"), true, "the search can find");
  const attributes = new Set(
    (html.match(/<[a-z][^>]*>/gi) ?? []).flatMap(
      (tag) => tag.replaceAll(/"[^"]*"/g, "").match(/[\w-]+(?==)/g) ?? [],
    ),
  );
  for (const name of attributes) assert.ok(!name.startsWith("on") && name !== "style", name);
  for (const href of html.match(/href="[^"]*"/g) ?? []) assert.match(href, /^href="(#|\/v1\/runs\/)/);

  const policy = headers.get("content-security-policy") ?? "";
  const [, style = ""] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
  const hash = createHash("sha256").update(style).digest("base64");
  assert.equal(
    policy,
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
});

test("durations, counts and sizes read well at their borders", () => {
  assert.deepEqual(
    [0, 999, 1000, 59_949, 59_950, 60_000, 3_599_499, 3_599_500, 7_500_000].map(formatDuration),
    [
      "0 ms",
      "999 ms",
      "1.0 s",
      "59.9 s",
      "1 min 00 s",
      "1 min 00 s",
      "59 min 59 s",
      "1 h 00 min",
      "2 h 05 min",
    ],
  );
  assert.deepEqual([0, 999, 1000, 1_234_567].map(formatCount), [
    "0",
    "999",
    "1\u202F000",
    "1\u202F234\u202F567",
  ]);
  assert.deepEqual([1023, 1024, 1024 * 1024].map(formatBytes), ["1023 B", "1.0 KiB", "1.0 MiB"]);
});
