import type { TraceItem } from "@orphus/agent-trace/item";

/** Raised when a client of the other version could misread an answer; majors must match. */
export const PROTOCOL_VERSION = "1.0";

/**
 * The daemon's contract: JSON-RPC 2.0, one message a line, on a unix socket. Each entry is `params → result`. The same
 * shapes are what the verbs print under `--json`.
 */
export interface Methods {
  hello: { params: { client: string; protocol: string }; result: DaemonStatus };
  list: { params: Record<string, never>; result: HarnessRow[] };
  runs: { params: RunsQuery; result: RunRow[] };
  logs: { params: LogsQuery; result: LogPage };
  /** Starts one run now and answers when its ledger row is open; `wait` = when it has ended. */
  trigger: { params: TriggerRequest; result: RunRow };
  /** A throw-away one-shot of a kind. */
  run: { params: ScratchRequest; result: RunRow };
  /** Ends what runs; a schedule is paused until `start`. */
  stop: { params: { name: string }; result: HarnessRow };
  /** Loads the configuration again; bounces nothing. Fails with what is wrong with it, and then nothing has changed. */
  reload: { params: Record<string, never>; result: Reloaded };
  /** What the terminal of a harness shows now, masked. Fails with `no_terminal` and `no_screen`. */
  capture: { params: { name: string }; result: Capture };
  /**
   * From the answer on the connection speaks the frames of `protocol/attach.ts`. The client begins, with its size; then
   * it gets the terminal's screen, and what comes.
   * Fails with `no_terminal` for a harness that has no run on a terminal.
   */
  attach: { params: AttachRequest; result: Attached };
  /** Ends what runs, clears what was given up, and starts it anew. */
  restart: { params: { name: string }; result: HarnessRow };
  /** Starts a resident and keeps it going by its `restart`; lets a schedule that was stopped go on. */
  start: { params: { name: string }; result: HarnessRow };
  /** Ends the daemon. Its runs end with it, or, with `leaveRuns`, go on until the next daemon takes them back. */
  shutdown: { params: { leaveRuns?: boolean }; result: { pid: number } };
  /** Masks the record of ended runs anew under the current rules; `check` = only says what was masked under others. */
  rescan: { params: { check?: boolean }; result: RescanReport };
}

/** What is on record under which rules, and what masking it anew came to. */
export interface RescanReport {
  /** The current rules, as `<version> <hash>`. */
  ruleSet: string;
  /** Ended runs that were masked under them before. */
  current: number;
  /** Runs that are still on; their turn comes when they have ended. */
  open: number;
  /** Ended runs that were masked under others, oldest first; without `ruleSet` it is not known which. */
  stale: { harness: string; runId: number; ruleSet?: string }[];
  /** Absent after a check. */
  rescanned?: {
    runs: number;
    /** Rows of the store in which something was masked. */
    rows: number;
    /** Lines of stream files and run logs in which something was masked. */
    lines: number;
    /** Old bytes may be left in the store's file, because a reader was in the way. */
    compactionDue: boolean;
  };
}

export type Method = keyof Methods;

/** What a failing verb prints under `--json`. `code` is stable. */
export interface ErrorShape {
  error: { code: string; message: string; hint?: string };
}

/** Whether two ends understand each other: their majors are equal. */
export const speaksWith = (ours: string, theirs: string): boolean => major(ours) === major(theirs);

const major = (version: string): string => version.split(".", 1)[0] ?? "";

export interface DaemonStatus {
  version: string;
  protocol: string;
  pid: number;
  /** ISO time. */
  startedAt: string;
  socket: string;
  stateDir: string;
  config: string | null;
  /** What is wrong with the configuration file as it is now; the one before is in force. */
  configProblem?: string;
  harnesses: number;
  running: number;
  /** Where it listens for HTTP, when it has something to answer there; or why it does not, although it should. */
  http?: string;
  httpProblem?: string;
}

export interface HarnessRow {
  name: string;
  kind: string;
  state: "stopped" | "starting" | "running" | "restarting" | "degraded" | "stopping" | "failed";
  /** Its runs end by themselves; anything else is a resident. */
  oneshot?: boolean;
  /** A resident that is to run: it is started with the daemon. */
  enabled?: boolean;
  /** Starts by itself since somebody started it. */
  restarts?: number;
  /** It ends early, over and over. */
  looping?: boolean;
  /** Why it is failed and not started again by itself, in words. */
  failed?: string;
  /** When it is started again; ISO time. */
  nextStart?: string;
  /** It runs and is not configured any more. */
  removed?: boolean;
  /** The terminal of the run that is on, and who looks at it. */
  terminal?: { cols: number; rows: number; sessions: AttachedClient[] };
  /** The process was started with another definition than the configuration has now: restart to apply it. */
  changed?: boolean;
  description?: string;
  workdir: string;
  pid?: number;
  /** As the configuration says it. */
  schedule?: string;
  /** ISO time of the next due time; absent while the schedule is paused, and without a daemon. */
  nextDue?: string;
  /** No daemon answered: an open run may or may not still be on, and nothing is started until there is one. */
  unsure?: true;
  /** What else starts it, such as `webhook.github`. */
  triggers?: string[];
  /** ISO time at which the usage limit ends that the agent met: until then it starts by hand only. */
  parkedUntil?: string;
  /** Whether it is resumed then. */
  resumes?: boolean;
  /** `stop` paused what starts it by itself: its schedule, its events. Beside `state`, which tells of the process. */
  paused?: true;
  /** The last one that ran: of firings that were skipped or missed only where there is no other. */
  lastRun?: RunRow;
}

/** What a new configuration has changed; names of harnesses. */
export interface Reloaded {
  /** How many there are now. */
  harnesses: number;
  added: string[];
  /** What runs of them runs on. */
  removed: string[];
  changed: string[];
  /** New residents that are enabled. */
  started: string[];
  /** Their process was started with another definition than they have now. */
  restartToApply: string[];
  /** Tables that have changed and count from the daemon's next start. */
  restartDaemon: string[];
}

/** A client that looks at a terminal. */
export interface AttachedClient {
  mode: "rw" | "ro";
  cols: number;
  rows: number;
  /** ISO time. */
  since: string;
  /** The terminal is as small as it is for this client. */
  setsMinimum: boolean;
}

/** A terminal's screen; nothing of it is in any record yet. */
export interface Capture {
  harness: string;
  runId: number;
  cols: number;
  rows: number;
  /** A line a row, masked. */
  text: string;
}

export interface AttachRequest {
  name: string;
  /** Only look: what is typed is dropped by the daemon. */
  readOnly?: boolean;
}

export interface Attached {
  harness: string;
  runId: number;
}

export interface RunsQuery {
  names?: string[];
  /** ISO time. */
  since?: string;
  limit?: number;
}

/** One row of the ledger; content-free. */
export interface RunRow {
  harness: string;
  runId: number;
  kind: "oneshot" | "resident";
  agent: string;
  trigger: string;
  /** What fired, such as `webhook.github`. */
  source?: string;
  /** The sender's id of the event. */
  eventId?: string;
  /** The due time of the schedule that the row stands for (ISO); of several missed in a row the last, the first, and how many. */
  due?: { at: string; first?: string; count?: number };
  startedAt: string;
  endedAt?: string;
  durationMs?: number;
  outcome:
    | "running"
    | "success"
    | "failed"
    | "timed_out"
    | "cancelled"
    | "interrupted"
    | "replaced"
    | "skipped"
    | "missed";
  reason?: string;
  exitCode?: number;
  signal?: string;
  pid?: number;
  models: { model: string; provider?: string }[];
  tokens: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
  costNanoUsd?: number;
  costSource: "recorded" | "priced" | "unknown";
  toolCalls: number;
  toolErrors: number;
  errors: Record<string, number>;
  sessions: { id: string; agent: string }[];
  traceMissing: boolean;
  log?: string;
  stream?: string;
}

export interface LogsQuery {
  name: string;
  /** The latest run when absent. */
  runId?: number;
  /** Only what changed after this; for following a live run. */
  after?: number;
  limit?: number;
  /** When nothing has changed yet: hold the answer back until something does, at most this long (ms, up to 60,000). */
  waitMs?: number;
}

/** A page of a run's record, for the one renderer. */
export interface LogPage {
  run: RunRow;
  entries: LogEntry[];
  /** Pass as `after` to go on. */
  next: number;
  /** The run has ended and this page holds its last entry. */
  complete: boolean;
  notices: string[];
}

export type LogEntry =
  | {
      type: "item";
      change: number;
      source: "stream" | "transcript";
      item: TraceItem;
      /** When the item was read, where it has no time of its own. */
      at?: string;
      /** The response was counted in another session before: it adds nothing. */
      duplicate?: true;
    }
  | { type: "stderr"; change: number; at?: string; text: string }
  /** A line of the agent's output that is no record. */
  | { type: "unread"; change: number; at?: string; text: string };

export interface TriggerRequest {
  name: string;
  wait?: boolean;
  /** Absolute path of a file with the event for the run: one of an earlier run, or any text or JSON. */
  eventFile?: string;
}

export interface ScratchRequest {
  kind: string;
  prompt: string;
  workdir: string;
  model?: string;
  autoAccept?: boolean;
  wait?: boolean;
}
