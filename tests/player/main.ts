/** Plays a captured run of the `claude` CLI; README.md says what is played and how to choose. */
import { randomBytes } from "node:crypto";
import { appendFileSync, createWriteStream, globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Arguments, parseArguments, UsageError } from "./arguments.ts";
import { type Capture, loadCapture, type Timed } from "./capture.ts";
import { injectLines, leaveGrandchild, plantSecret } from "./faults.ts";
import { projectSlug, rewriter } from "./rewrite.ts";
import { readSettings, type Settings } from "./settings.ts";

/** A capture that was ended by a signal waits for one; no longer than this, so that nothing is left running. */
const HOLD_MS = 120_000;

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};

const cwd = process.cwd();
const home = process.env["HOME"] ?? fail("player: HOME is not set");
const projects = join(process.env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"), "projects");

/** The newest session of this working directory, which `--continue` goes on with. */
const newestSession = (): string | undefined => {
  const dir = join(projects, projectSlug(cwd));
  return globSync("*.jsonl", { cwd: dir })
    .map((file) => ({ id: basename(file, ".jsonl"), at: statSync(join(dir, file)).mtimeMs }))
    .sort((a, b) => b.at - a.at)[0]?.id;
};

const choose = (settings: Settings, args: Arguments): Capture => {
  const root = join(import.meta.dirname, "captures");
  const capture = loadCapture(root, settings.capture);
  const next = capture.info.continuedBy;
  return args.continues && next !== undefined ? loadCapture(root, next) : capture;
};

/** Where the lines go, up to the byte at which the `cut` fault ends the stream. */
class Output {
  readonly #stream: Writable;
  #left: number;

  constructor(faults: Settings["faults"]) {
    this.#stream = faults.has("dev-stdout")
      ? createWriteStream("/dev/stdout", { flags: "a" })
      : process.stdout;
    this.#stream.on("error", (error: Error) => fail(`player: cannot write to stdout: ${error.message}`));
    this.#left = Number(faults.get("cut") ?? Number.POSITIVE_INFINITY);
  }

  /** Resolves when the bytes are handed over; false when the stream was cut. */
  async line(text: string): Promise<boolean> {
    const bytes = Buffer.from(`${text}\n`);
    const part = bytes.subarray(0, Math.min(bytes.length, this.#left));
    this.#left -= part.length;
    if (part.length > 0) await new Promise((resolve) => this.#stream.write(part, resolve));
    return part.length === bytes.length;
  }
}

interface Step {
  atMs: number;
  /** False ends the run. */
  act: () => boolean | Promise<boolean>;
}

/** These act at once, so that they can run in a signal handler as well. */
type TranscriptStep = { atMs: number; act: () => boolean };

const transcriptSteps = (capture: Capture, rewrite: (text: string) => string): TranscriptStep[] =>
  capture.transcripts.flatMap(({ path, lines }) => {
    const file = join(projects, rewrite(path));
    return lines.map(({ atMs, text }) => ({
      atMs,
      act: () => {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        appendFileSync(file, `${rewrite(text)}\n`, { mode: 0o600 });
        return true;
      },
    }));
  });

const play = async (steps: readonly Step[], speed: number): Promise<void> => {
  let now = 0;
  for (const step of steps) {
    const waitMs = (step.atMs - now) / speed;
    now = Math.max(now, step.atMs);
    // A timer cannot be shorter than a millisecond: what is due sooner is due now.
    if (waitMs >= 1) await sleep(waitMs);
    if (!(await step.act())) return;
  }
};

const main = async (): Promise<void> => {
  const args = parseArguments(process.argv.slice(2));
  const settings = readSettings(cwd, process.env);
  const capture = choose(settings, args);
  const { info } = capture;
  if (args.version) {
    process.stdout.write(`${info.version} (Claude Code)\n`);
    return;
  }
  if (settings.faults.has("refuse-root") && args.skipsPermissions && process.getuid?.() === 0) {
    if (process.env["IS_SANDBOX"] !== "1") {
      fail("--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons");
    }
  }
  const prompt = args.prompt ?? (process.stdin.isTTY ? "" : readFileSync(0, "utf8"));
  if (prompt.trim() === "") {
    fail("Error: Input must be provided either through stdin or as a prompt argument when using --print");
  }
  const continued = args.continues && args.sessionId === undefined ? newestSession() : args.sessionId;
  if (args.continues && continued === undefined) fail("No conversation found to continue");

  const captured = capture.transcripts.map(({ path }) => path.split("/")[1] ?? "").sort()[0] ?? "";
  const ids = rewriter(info, basename(captured, ".jsonl"), {
    cwd,
    home,
    prompt,
    nonce: settings.ids === "fresh" ? randomBytes(16).toString("hex") : undefined,
    sessionId: continued,
    startedAt: settings.clock === "now" ? Date.now() : undefined,
    speed: settings.speed,
  });
  const rewrite = settings.faults.has("secret")
    ? (text: string): string => plantSecret(ids(text), settings.secret)
    : ids;
  await run(capture, settings, rewrite);
};

const run = async (
  capture: Capture,
  { faults, speed }: Settings,
  rewrite: (text: string) => string,
): Promise<void> => {
  const { info } = capture;
  const output = new Output(faults);
  const grandchild = faults.get("grandchild");
  if (grandchild !== undefined) await leaveGrandchild(grandchild, cwd);

  const lines: Timed[] = injectLines(
    capture.stdout.map(({ atMs, text }) => ({ atMs, text: rewrite(text) })),
    faults,
  );
  const transcript = transcriptSteps(capture, rewrite);
  const steps: Step[] = [
    ...transcript,
    ...lines.map(({ atMs, text }) => ({ atMs, act: () => output.line(text) })),
  ].sort((a, b) => a.atMs - b.atMs);
  const killedAt = info.killed?.atMs ?? Number.POSITIVE_INFINITY;
  // As captured: SIGTERM gives 143 and SIGINT 0, both without a result line.
  const end = (code: number) => (): void => {
    for (const step of transcript.filter(({ atMs }) => atMs >= killedAt)) step.act();
    process.exit(code);
  };
  process.once("SIGTERM", end(143));
  process.once("SIGINT", end(0));

  if (capture.stderr !== "") process.stderr.write(capture.stderr);
  await play(
    steps.filter(({ atMs }) => atMs < killedAt),
    speed,
  );
  if (info.killed !== undefined && !faults.has("cut")) await sleep(HOLD_MS);
  process.exitCode = Number(faults.get("exit") ?? info.exitCode);
};

try {
  await main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  fail(error instanceof UsageError ? error.message : (error.stack ?? error.message));
}
