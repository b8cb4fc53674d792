/** Which package may import what of the others. A name without a `/` part is the package's root export. */
export const packageRules: Readonly<Record<string, readonly string[]>> = {
  "agent-trace": [],
  harness: [
    "@orphus/agent-trace",
    "@orphus/agent-trace/item",
    "@orphus/agent-trace/redact",
    "@orphus/agent-trace/otel",
    "@orphus/cairn/viewer",
  ],
  cairn: ["@orphus/agent-trace/redact", "@orphus/agent-trace/item"],
  "coding-agent": ["@orphus/agent-trace/redact"],
};

/**
 * Only the redactor masks. A file that writes a mask of its own is one of these: orphus's records have their own rule of
 * keys, and their own word for what was there.
 */
export const maskFiles: readonly string[] = [
  "packages/agent-trace/src/redact/",
  "packages/coding-agent/src/record/redact.ts",
];

/** The keeper's frames, apart from the daemon's own protocol. */
const keeperProtocol = [
  "protocol/keeper.ts",
  "protocol/keeper-body.ts",
  "protocol/keeper-frames.ts",
  "protocol/keeper-messages.ts",
  "protocol/keeper-replies.ts",
] as const;

/**
 * Rooms: the first folder (or file) under `src/`. A room imports only those named in its row, type imports included.
 * `*` stands for every other room of the package, `!x` takes one out again.
 */
export const roomRules: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  harness: {
    base: [],
    protocol: [],
    keeper: [...keeperProtocol],
    kinds: ["base"],
    cron: [],
    config: ["base", "kinds", "cron"],
    store: ["base"],
    // The answers' shapes are the protocol's: one definition for the socket, `--json`, the queries and the renderer.
    query: ["base", "store/read.ts", "protocol/methods.ts"],
    // A terminal drawn from bytes; knows no run and no client.
    screen: [],
    record: ["base", "store", "screen"],
    supervise: ["base", ...keeperProtocol, "kinds", "config", "store", "record"],
    schedule: ["base", "cron", "config", "store", "supervise"],
    trigger: ["base", "config", "store", "supervise"],
    server: ["base", "trigger"],
    attach: ["base", "protocol", "supervise", "screen"],
    react: ["base", "config", "store", "record", "supervise"],
    view: ["protocol/methods.ts"],
    client: ["protocol"],
    cli: ["base", "protocol", "client", "view", "config", "kinds", "query", "store/read.ts"],
    tui: ["base", "protocol", "client", "view", "config", "kinds", "query", "store/read.ts"],
    daemon: ["*", "!cli", "!tui", "!keeper", "!client"],
    "main.ts": ["cli", "daemon", "keeper"],
  },
  cairn: {
    run: [],
    store: ["run"],
    viewer: ["run"],
    api: ["run", "store", "viewer"],
    "guard.ts": [],
    "server.ts": ["api", "store", "guard.ts"],
    cli: ["server.ts", "store", "guard.ts"],
    "main.ts": ["cli"],
  },
  "agent-trace": {
    "item.ts": [],
    "reader.ts": ["item.ts"],
    redact: ["reader.ts"],
  },
};

/**
 * Which rooms may import a module from outside the package (another package's entry, a library, a Node module).
 * A module without a row may be imported anywhere.
 */
export const moduleRules: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  harness: {
    "@orphus/agent-trace": ["record", "kinds", "config", "query", "react"],
    "@orphus/agent-trace/redact": [
      "record",
      "kinds",
      "config",
      "query",
      "react",
      "base",
      "supervise",
      "attach",
      "daemon",
    ],
    "@orphus/agent-trace/otel": ["record", "query", "react"],
    "@orphus/cairn/viewer": ["cli", "daemon"],
    "node:sqlite": ["store"],
    "@xterm/headless": ["screen"],
    "@xterm/addon-serialize": ["screen"],
  },
  cairn: {
    "node:sqlite": ["store"],
  },
  "agent-trace": {
    re2js: ["redact"],
  },
  "coding-agent": {
    "@earendil-works/pi-ai": ["provider"],
  },
};

/**
 * Packages whose world is injected: outside the named folder their code may import these modules of Node and no other.
 * The globals that reach the world (clock, timers, `process`, `fetch`, …) are the linter's part, `.oxlintrc.json`.
 */
export const injectedWorlds: Readonly<Record<string, { room: string; allowed: readonly string[] }>> = {
  "coding-agent": {
    room: "capabilities/node/",
    allowed: ["node:path", "node:url", "node:crypto", "node:async_hooks"],
  },
};
