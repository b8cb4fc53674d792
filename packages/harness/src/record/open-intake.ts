import { createRedactor, type Redactor } from "@orphus/agent-trace/redact";
import { HarnessError } from "../base/errors.ts";
import type { Cursor } from "../store/batch.ts";
import { Committer, type Snapshot } from "./committer.ts";
import { openFileSink } from "./file-sink.ts";
import type {
  Channel,
  Intake,
  IntakeDeps,
  IntakeFault,
  OpenIntake,
  ProcessEnd,
  RunFold,
  RunIdentity,
} from "./intake.ts";
import { createLineFile, type LineFile } from "./line-file.ts";
import { runLogMarker, streamFileMarker } from "./markers.ts";
import { createPipe, pipeState, type LineHandler, type Pipe } from "./pipe.ts";
import { rawRecord } from "./raw-record.ts";
import { createStderr } from "./stderr.ts";
import { createStdout, type StdoutHandler } from "./stdout.ts";
import { streamAgent, type StreamAgent } from "./stream-agent.ts";
import { judge } from "./verdict.ts";

/** How long {@link Intake.finish} goes on trying a store that takes nothing. */
const FINISH_PATIENCE_MS = 5000;
const FINISH_RETRY_MS = 100;

export const openIntake: OpenIntake = (identity, deps) => new RunIntake(identity, deps);

class RunIntake implements Intake {
  readonly #identity: RunIdentity;
  readonly #deps: IntakeDeps;
  readonly #stream: LineFile;
  readonly #log: LineFile;
  readonly #stdout: StdoutHandler;
  readonly #pipes: Readonly<Record<Channel, Pipe>>;
  readonly #committer: Committer;
  readonly #listeners: ((channel: Channel, offset: number) => void)[] = [];
  #position: Record<Channel, number>;

  constructor(identity: RunIdentity, deps: IntakeDeps) {
    this.#identity = identity;
    this.#deps = deps;
    const agent = deps.streamAgent ?? streamAgent(identity.agent);
    const redactor = createRedactor({
      values: identity.secrets,
      idPaths: agent.idPaths,
      rules: deps.rules ?? [],
    });
    const resume = { stdout: this.#cursor("stdout"), stderr: this.#cursor("stderr") };
    this.#stream = this.#openFile("stream_file", resume.stdout);
    this.#log = this.#openFile("run_log", resume.stderr);
    this.#stdout = this.#openStdout(agent, redactor, resume.stdout);
    const stderr = createStderr({ redactor, log: this.#log, state: pipeState(resume.stderr)?.handler });
    this.#pipes = {
      stdout: this.#openPipe("stdout", this.#stdout, this.#stream, resume.stdout),
      stderr: this.#openPipe("stderr", stderr, this.#log, resume.stderr),
    };
    this.#position = { stdout: resume.stdout?.rawIn ?? 0, stderr: resume.stderr?.rawIn ?? 0 };
    this.#committer = new Committer(identity, deps, this.#snapshot(), (message) => {
      this.#fault({ what: "store", message });
    });
  }

  get position(): Readonly<Record<Channel, number>> {
    return { ...this.#position };
  }

  write(channel: Channel, from: number, bytes: Uint8Array): void {
    this.#pipes[channel].push(from, bytes);
  }

  onCommitted(listener: (channel: Channel, offset: number) => void): void {
    this.#listeners.push(listener);
  }

  eof(channel: Channel): void {
    this.#pipes[channel].end();
  }

  async finish(end: ProcessEnd): Promise<RunFold> {
    this.eof("stdout");
    this.eof("stderr");
    this.#stdout.finish();
    this.#committer.touch();
    await this.#commitAtLast();
    this.#stream.seal();
    this.#log.seal();
    const { store, files } = this.#deps;
    const totals = { ...store.read.totals(this.#identity), unreadLines: this.#stdout.unread };
    const raw = await rawRecord(files.stream);
    const verdict = judge(end, store.read.evidence(this.#identity));
    return { ...totals, verdict, ...(raw === undefined ? {} : { raw }) };
  }

  release(): void {
    this.#committer.commit();
    this.#committer.stop();
    this.#stream.release();
    this.#log.release();
  }

  async #commitAtLast(): Promise<void> {
    const { clock } = this.#deps;
    const deadline = clock.monotonic() + FINISH_PATIENCE_MS;
    while (!this.#committer.commit()) {
      if (clock.monotonic() >= deadline) {
        throw new HarnessError(
          "store_failed",
          `The record of ${this.#name} cannot be stored; the run stays open.`,
          {
            hint: "Free the disk and start the daemon again: the run is then closed with what is stored.",
          },
        );
      }
      await new Promise<void>((resolve) => clock.after(FINISH_RETRY_MS, resolve));
    }
  }

  get #name(): string {
    return `${this.#identity.harness} run ${this.#identity.runId}`;
  }

  #source(channel: Channel): string {
    return `run:${this.#identity.harness}/${this.#identity.runId}:${channel}`;
  }

  #cursor(channel: Channel): Cursor | undefined {
    return this.#deps.store.cursor(this.#source(channel));
  }

  #openFile(what: "stream_file" | "run_log", resume: Cursor | undefined): LineFile {
    const { files, maxFileBytes, openFile = openFileSink } = this.#deps;
    const state = pipeState(resume)?.file;
    return createLineFile({
      path: what === "stream_file" ? files.stream : files.runLog,
      open: openFile,
      maxBytes: maxFileBytes,
      marker: what === "stream_file" ? streamFileMarker : runLogMarker,
      onFault: (message) => this.#fault({ what, message }),
      ...(resume === undefined ? {} : { length: resume.fileOut }),
      ...(state === undefined ? {} : { state }),
    });
  }

  #openStdout(agent: StreamAgent, redactor: Redactor, resume: Cursor | undefined): StdoutHandler {
    const { bus, home } = this.#deps;
    const { harness, runId, workdir } = this.#identity;
    const place = { cwd: workdir, ...(home === undefined ? {} : { home }) };
    return createStdout({
      redactor,
      reader: (state) => agent.reader(state === undefined ? place : { ...place, state }),
      stream: this.#stream,
      log: this.#log,
      state: pipeState(resume)?.handler,
      item: (item) => this.#committer.item(item),
      live: (item) => bus.publish([{ type: "live", run: { harness, runId }, source: "stream", item }]),
    });
  }

  #openPipe(channel: Channel, handler: LineHandler, file: LineFile, resume: Cursor | undefined): Pipe {
    const between = (): void => this.#committer.touch();
    return createPipe({ source: this.#source(channel), resume, handler, file, between });
  }

  #snapshot(): Snapshot {
    return {
      writeFiles: () => {
        this.#stream.flush();
        return this.#log.flush();
      },
      waiting: () => this.#stream.waiting + this.#log.waiting,
      cursors: () => [this.#pipes.stdout.cursor(), this.#pipes.stderr.cursor()],
      committed: () => this.#acknowledge(),
    };
  }

  #acknowledge(): void {
    const before = this.#position;
    this.#position = { stdout: this.#pipes.stdout.committed(), stderr: this.#pipes.stderr.committed() };
    for (const channel of ["stdout", "stderr"] as const) {
      const offset = this.#position[channel];
      if (offset !== before[channel]) for (const listener of this.#listeners) listener(channel, offset);
    }
  }

  #fault(fault: IntakeFault): void {
    this.#deps.onFault?.(fault);
    try {
      this.#deps.store.ledger.note(this.#identity, fault.message);
    } catch {
      // The store may be what is in trouble; the daemon's log has the fault by then.
    }
  }
}
