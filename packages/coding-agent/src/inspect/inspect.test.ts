import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { createDefaultCapabilities, type ExtensionApi, VERSION } from "../index.ts";
import { AGENT, createDesk, PROJECT } from "../testing/desk.ts";
import { createEchoTool } from "../testing/echo.ts";
import { createSandbox } from "../testing/program.ts";
import { canonicalJson, sha256 } from "./canonical.ts";
import type { RuntimeReport } from "./report.ts";
import { promptSections } from "./sections.ts";

const SCRIPT = "/home/dev/shop/script.json";
const scripted = { [SCRIPT]: { turns: [] } };

const report = async (desk: ReturnType<typeof createDesk>, ...args: string[]): Promise<RuntimeReport> => {
  const { code, stdout, stderr } = await desk.run("inspect", "runtime", "--json", ...args);
  assert.deepEqual([code, stderr], [0, ""]);
  // What the program printed is looked at as what it says it is.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return JSON.parse(stdout) as RuntimeReport;
};

const nothing = (): void => undefined;

test("O-106 O-107 O-108 O-109 O-122 version, model and capabilities, as two-space JSON with a newline", async () => {
  const desk = createDesk(scripted);
  const { stdout } = await desk.run("inspect", "runtime", "--json");
  assert.equal(stdout, `${JSON.stringify(JSON.parse(stdout), null, 2)}\n`);
  const bare = await report(desk);
  assert.deepEqual(Object.keys(bare), [
    "version",
    "appVersion",
    "model",
    "capabilities",
    "tools",
    "extensions",
    "hookOrder",
    "flags",
    "settings",
    "systemPrompt",
  ]);
  assert.deepEqual([bare.version, bare.appVersion, bare.model], ["orphus.inspect.runtime.v1", VERSION, null]);
  const kinds = Object.fromEntries(Object.entries(desk.capabilities).map(([name, { kind }]) => [name, kind]));
  assert.deepEqual(bare.capabilities, kinds);
  assert.deepEqual(Object.keys(bare.capabilities), Object.keys(kinds).sort());
  const chosen = await report(desk, "--script", SCRIPT, "--thinking", "high");
  assert.deepEqual(chosen.model, {
    provider: "scripted",
    id: "scripted-1",
    api: "anthropic-messages",
    name: "scripted-1",
    thinkingLevel: "high",
  });
  const real = createDefaultCapabilities();
  assert.deepEqual(
    Object.values(real).map(({ kind }) => kind),
    ["system", "node-fs", "node-child-process", "empty", "unavailable", "unavailable", "stdio"],
  );
});

const extension = (name: string) => (api: ExtensionApi) => {
  api.on("tool_call", nothing);
  api.on("tool_call", nothing);
  api.on("agent_start", nothing);
  api.registerTool({ ...createEchoTool(), name: `tool_${name}` });
  api.registerFlag(`flag-${name}`, { type: "string", default: "soft" });
  api.registerFlag(`bare-${name}`, { type: "boolean" });
};

test("O-110 O-111 O-112 O-113 tools, extensions, hook order and flags", async () => {
  const desk = createDesk(
    {},
    {
      modules: {
        [`${AGENT}/extensions/z.ts`]: extension("z"),
        [`${AGENT}/extensions/pack/index.ts`]: (api: ExtensionApi) => api.on("turn_end", nothing),
        "/home/dev/shop/a.ts": (api: ExtensionApi) => {
          extension("a")(api);
          // What is registered when the session starts belongs to the runtime as well.
          api.on("session_start", () => api.registerTool({ ...createEchoTool(), name: "late" }));
        },
      },
    },
  );
  const found = await report(desk, "-e", "a.ts", "--flag", "flag-a=loud", "--tools", "read,tool_z");
  assert.deepEqual(
    found.tools.map(({ name, active, source }) => [name, active, source]),
    [
      ["bash", false, "builtin"],
      ["edit", false, "builtin"],
      ["find", false, "builtin"],
      ["grep", false, "builtin"],
      ["late", false, "a.ts"],
      ["ls", false, "builtin"],
      ["read", true, "builtin"],
      ["tool_a", false, "a.ts"],
      ["tool_z", true, "~/.orphus/agent/extensions/z.ts"],
      ["write", false, "builtin"],
    ],
  );
  const schema = createEchoTool().parameters;
  assert.equal(
    found.tools.find(({ name }) => name === "tool_a")?.schemaSha256,
    sha256(canonicalJson(schema)),
  );
  assert.deepEqual(found.extensions, [
    {
      path: "a.ts",
      source: "command-line",
      events: [
        { event: "agent_start", handlers: 1 },
        { event: "session_start", handlers: 1 },
        { event: "tool_call", handlers: 2 },
      ],
    },
    {
      path: "~/.orphus/agent/extensions/pack/index.ts",
      source: "user",
      events: [{ event: "turn_end", handlers: 1 }],
    },
    {
      path: "~/.orphus/agent/extensions/z.ts",
      source: "user",
      events: [
        { event: "agent_start", handlers: 1 },
        { event: "tool_call", handlers: 2 },
      ],
    },
  ]);
  const inLoadOrder = ["~/.orphus/agent/extensions/z.ts", "a.ts"];
  assert.deepEqual(found.hookOrder, [
    { event: "agent_start", order: inLoadOrder },
    { event: "session_start", order: ["a.ts"] },
    { event: "tool_call", order: inLoadOrder },
    { event: "turn_end", order: ["~/.orphus/agent/extensions/pack/index.ts"] },
  ]);
  const z = { owner: "~/.orphus/agent/extensions/z.ts", origin: "user", explicit: false };
  const a = { owner: "a.ts", origin: "command-line" };
  assert.deepEqual(found.flags, [
    { name: "bare-a", ...a, explicit: false },
    { name: "bare-z", ...z },
    { name: "flag-a", ...a, value: "loud", explicit: true },
    { name: "flag-z", ...z, value: "soft" },
  ]);
});

test("O-114 a setting's value and where it comes from; a project's nested one hides nothing beside it", async () => {
  const files = {
    [`${AGENT}/settings.json`]: { maxTurns: 50, retry: { maxRetries: 7, baseDelayMs: 1, maxDelayMs: 2 } },
    [`${PROJECT}/.orphus/settings.json`]: {
      maxTurns: 9,
      retry: { maxRetries: 1, baseDelayMs: 1, maxDelayMs: 2 },
    },
  };
  const picked = async (desk: ReturnType<typeof createDesk>) =>
    (await report(desk)).settings
      .filter(({ key }) => ["maxTurns", "retry.maxRetries", "idleTimeoutMs"].includes(key))
      .map(({ key, scope, value }) => [key, scope, value]);
  const trusted = createDesk({ ...files, [`${AGENT}/trust.json`]: { [PROJECT]: true } });
  assert.deepEqual(await picked(trusted), [
    ["idleTimeoutMs", "default", 300_000],
    ["maxTurns", "project", 9],
    ["retry.maxRetries", "project", 1],
  ]);
  assert.deepEqual(await picked(createDesk(files)), [
    ["idleTimeoutMs", "default", 300_000],
    ["maxTurns", "global", 50],
    ["retry.maxRetries", "global", 7],
  ]);
});

test("O-115 O-118 O-121 the prompt's hash and those of its parts; its text only when asked for", async () => {
  const [desk, other] = ["Use tabs.", "Use blanks."].map((text) =>
    createDesk({ [`${PROJECT}/AGENTS.md`]: `# Style\n\n${text}\n`, ...scripted }),
  );
  assert.ok(desk !== undefined && other !== undefined);
  const plain = await report(desk, "--script", SCRIPT);
  const { systemPrompt, ...rest } = await report(desk, "--script", SCRIPT, "--include-content");
  const { content, ...hashes } = systemPrompt;
  assert.deepEqual({ ...rest, systemPrompt: hashes }, plain);
  assert.match(content ?? "", /Use tabs\./u);
  assert.deepEqual(
    [hashes.sha256, hashes.byteLength],
    [sha256(content ?? ""), Buffer.byteLength(content ?? "")],
  );
  assert.deepEqual(
    hashes.sections.map(({ heading }) => heading),
    ["preamble", "Working directory", "Tools", "Rules", "Project instructions"],
  );
  const changed = (await report(other, "--script", SCRIPT)).systemPrompt;
  assert.notEqual(changed.sha256, hashes.sha256);
  assert.deepEqual(
    changed.sections
      .filter((section, index) => section.sha256 !== hashes.sections[index]?.sha256)
      .map(({ heading }) => heading),
    ["Project instructions"],
  );
});

test("O-116 two runs of one configuration are the same bytes", async () => {
  const args = ["inspect", "runtime", "--json", "--include-content"];
  const desk = () =>
    createDesk(
      { [`${PROJECT}/AGENTS.md`]: "x" },
      { modules: { [`${AGENT}/extensions/z.ts`]: extension("z") } },
    );
  assert.equal((await desk().run(...args)).stdout, (await desk().run(...args)).stdout);
});

test("O-117 the order of a schema's keys does not matter, its values do", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (schema) => {
      const turned = Object.fromEntries(Object.entries(schema).toReversed());
      assert.equal(canonicalJson(turned), canonicalJson(schema));
    }),
  );
  assert.equal(canonicalJson({ b: [2, 1], a: { d: 1, c: null } }), '{"a":{"c":null,"d":1},"b":[2,1]}');
  assert.notEqual(canonicalJson({ a: [1, 2] }), canonicalJson({ a: [2, 1] }));
});

test("O-119 X-13 no secret of settings, flags or prompt is told, in either mode", async () => {
  const secret = ["hunter", "2", "hunter", "2"].join("");
  const token = ["ghp", ["x7Kq2Lm9Pz4R", "t6Vw8Yb1Nc3D", "d5Ff0Gh2Jj4k"].join("")].join("_");
  const desk = createDesk(
    {
      [`${AGENT}/settings.json`]: {
        accessToken: secret,
        proxy: { url: `http://me:${secret}@proxy.example:3128/`, clientSecret: secret },
        note: token,
        apiKey: { value: secret },
      },
      [`${PROJECT}/AGENTS.md`]: `The token is ${token}.`,
    },
    {
      env: { SHOP_API_KEY: secret },
      modules: {
        [`${AGENT}/extensions/z.ts`]: (api: ExtensionApi) => {
          api.registerFlag("apiKey", { type: "string", default: secret });
          api.registerFlag("proxyPassword", { type: "string" });
        },
      },
    },
  );
  for (const args of [[], ["--include-content"]]) {
    const found = await report(desk, "--flag", `proxyPassword=${secret}`, ...args);
    const text = JSON.stringify(found);
    assert.ok(!text.includes(secret) && !text.includes(token), text);
    assert.deepEqual(
      found.flags.map(({ name, value, explicit }) => [name, value, explicit]),
      [
        ["apiKey", "[redacted]", false],
        ["proxyPassword", "[redacted]", true],
      ],
    );
    const keys = found.settings.map(({ key, value }) => `${key}=${JSON.stringify(value)}`);
    assert.ok(keys.includes('accessToken="[redacted]"'), keys.join("\n"));
    assert.ok(keys.includes('proxy.clientSecret="[redacted]"'), keys.join("\n"));
  }
});

test("O-120 headings, preamble and fences of a prompt", () => {
  const headings = (prompt: string): string[] => promptSections(prompt).map(({ heading }) => heading);
  for (const [prompt, expected] of [
    ["no heading at all", ["preamble"]],
    ["\n\n# One\ntext", ["One"]],
    ["before\n# One\n## Two\n# Three", ["preamble", "One", "Three"]],
    ["# One\n```sh\n# comment\n```\n# Two", ["One", "Two"]],
    ["# One\n~~~\n# comment\n```\n# still\n~~~\n# Two", ["One", "Two"]],
    ["# One\n````\n```\n# inner\n```\n# still\n````\n# Two", ["One", "Two"]],
    ["# One\n```\n# never closed", ["One"]],
    ["# One\n```\n# in\n``` not a closing one\n# in\n`````\n# Two", ["One", "Two"]],
  ] as const)
    assert.deepEqual(headings(prompt), expected, JSON.stringify(prompt));
  const [one] = promptSections("# One\nbody");
  assert.deepEqual(one, { heading: "One", sha256: sha256("body"), byteLength: 4 });
});

test("O-105 X-13 inspecting sends nothing and leaves nothing on the disk", async () => {
  const desk = createDesk(scripted);
  const before = new Map(desk.capabilities.fs.files);
  await report(desk, "--script", SCRIPT);
  assert.deepEqual([desk.capabilities.fs.files, desk.capabilities.fs.folders.size], [before, 0]);
  assert.deepEqual(desk.capabilities.process.spawned, []);
  const sends = createDesk(
    {},
    {
      modules: {
        "/home/dev/shop/a.ts": (api: ExtensionApi) =>
          api.registerProvider("p", {
            api: "openai-completions",
            baseUrl: "http://127.0.0.1:1",
            models: [{ id: "m" }],
          }),
      },
    },
  );
  assert.equal((await report(sends, "-e", "a.ts", "--provider", "p", "--model", "m")).model?.provider, "p");
});

test("O-123 O-124 usage, what is not known, and arguments that are not ours", async () => {
  const desk = createDesk({ [`${AGENT}/settings.json`]: "{ broken" });
  for (const args of [[], ["-h"], ["--help"], ["runtime", "--help"]]) {
    const { code, stdout, stderr } = await desk.run("inspect", ...args);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    assert.match(stdout, /Usage: orphus inspect/u);
  }
  for (const args of [["everything"], ["runtime", "--yaml"], ["--json"]]) {
    const { code, stdout, stderr } = await desk.run("inspect", ...args);
    assert.deepEqual([code, stdout], [1, ""], args.join(" "));
    assert.doesNotMatch(stderr, /settings\.json/u, "nothing was booted");
    assert.notEqual(stderr, "");
  }
  const prompt = await desk.run("look", "inspect");
  assert.match(prompt.stderr, /orphus -p PROMPT/u);
});

const SENTINEL = "executed.txt";

/** An extension on a real disk that tells that it ran, by its environment and not by its own `fs`. */
const writeExtension = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    [
      'import { writeFileSync } from "node:fs";',
      "type Api = { on(event: string, handler: () => void): void };",
      `writeFileSync(new URL("./${SENTINEL}", import.meta.url), "ran");`,
      'export default (api: Api): void => api.on("agent_start", () => undefined);',
    ].join("\n"),
  );
};

test("O-103 O-104 O-125 the program boots the real loader: TypeScript from the disk, a project's only when trusted", async () => {
  using sandbox = createSandbox();
  const home = join(sandbox.root, "home", ".orphus", "agent", "extensions", "mine.ts");
  const inProject = join(sandbox.project, ".orphus", "extensions", "theirs.ts");
  writeExtension(home);
  writeExtension(inProject);
  const ran = (file: string): boolean => {
    try {
      return sandbox.read(join("..", file)) === "ran";
    } catch {
      return false;
    }
  };
  const undecided = await sandbox.run(["inspect", "runtime", "--json"]);
  assert.deepEqual([undecided.code, undecided.stderr], [0, ""]);
  assert.match(undecided.stdout, /"path": "~\/\.orphus\/agent\/extensions\/mine\.ts"/u);
  assert.doesNotMatch(undecided.stdout, /theirs\.ts/u);
  const theirs = join("project", ".orphus", "extensions", SENTINEL);
  assert.deepEqual(
    [ran(join("home", ".orphus", "agent", "extensions", SENTINEL)), ran(theirs)],
    [true, false],
  );

  assert.equal((await sandbox.run(["trust"])).code, 0);
  const trusted = await sandbox.run(["inspect", "runtime", "--json", "--include-content"]);
  assert.match(trusted.stdout, /"path": "\.orphus\/extensions\/theirs\.ts",\s+"source": "project"/u);
  assert.ok(ran(theirs));
});
