/**
 * What a daemon and its keeper say to each other, on a unix socket in the state folder. A keeper holds children and the
 * bytes they print, and decides nothing; see `docs/design/keeper.md`. How messages become bytes: `keeper-messages.ts`.
 */

/** Raised when either side could misread the other. A daemon that meets another number leaves that keeper alone. */
export const KEEPER_PROTOCOL = 2;

/** Most bytes one channel holds unacknowledged: beyond it the pipe is not read, fills up, and the child waits. */
export const CHANNEL_LIMIT = 1024 * 1024;
/** Most bytes all channels hold together. */
export const TOTAL_LIMIT = 64 * 1024 * 1024;
/** Most bytes in one read of a pipe and in one data message. */
export const CHUNK_BYTES = 64 * 1024;

/** Most bytes of a terminal that stay readable after they are acknowledged, so that the next daemon can draw its screen. */
export const TERMINAL_TAIL = 256 * 1024;

/** A run on pipes has the first two, a run on a terminal the last alone. The order is part of the frames. */
export const KEEPER_CHANNELS = ["stdout", "stderr", "pty"] as const;
export type KeeperChannel = (typeof KEEPER_CHANNELS)[number];

/** A terminal's size in cells. */
export interface TerminalSize {
  cols: number;
  rows: number;
}

/** One child, exactly as given: nothing is looked up, added or inherited. */
export interface SpawnSpec {
  /** An absolute path, or a name that is looked for on the PATH of `env`. */
  file: string;
  /** Arguments behind the program's own name. */
  args: string[];
  /** Absolute. */
  cwd: string;
  env: Record<string, string>;
  /** The file mode mask. */
  umask: number;
  /** Starts it on a terminal of this size, which is then all it has for input and output; absent = on pipes. */
  terminal?: TerminalSize;
}

export const SPAWN_FAILURE_REASONS = [
  "program_not_found",
  "program_not_executable",
  /** The program is there, the interpreter its first line names is not. */
  "interpreter_missing",
  "workdir_missing",
  "keeper_full",
  "other",
] as const;

/** Why there is no child. */
export interface SpawnFailure {
  reason: (typeof SPAWN_FAILURE_REASONS)[number];
  /** The system's word, such as `ENOENT`. */
  code: string;
  message: string;
}

/** Names one process for good: a pid alone is used again. */
export interface ChildIdentity {
  pid: number;
  /** Ticks since boot, from `/proc/<pid>/stat`; absent where there is no such file. */
  startTime?: number;
}

export interface ChildExit {
  code: number | null;
  signal: string | null;
  /** Wall time in ms at which the keeper learnt of it. */
  at: number;
}

/** Offsets are absolute positions in everything the child wrote to the channel. */
export interface ChannelState {
  /** Bytes before it are gone; `acked`, or for a terminal up to {@link TERMINAL_TAIL} before it. */
  tail: number;
  /** Bytes before it are safe with the daemon. */
  acked: number;
  /** Bytes before it have been read from the pipe. */
  head: number;
  /** Nothing comes after `head`. */
  eof: boolean;
}

/** A run as the keeper holds it until `forget`. Exit, end of output and end of the group are separate facts. */
export type HeldRun =
  | {
      run: string;
      child: ChildIdentity;
      /** Those that the run has. */
      channels: Partial<Record<KeeperChannel, ChannelState>>;
      /** Its size now, where it runs on one. */
      terminal?: TerminalSize;
      exit?: ChildExit;
      /** The leader has exited and no process is left in its group. */
      groupGone: boolean;
    }
  | { run: string; failure: SpawnFailure };

/** Every request is answered by one `reply` or `refusal` with its `id`; `ack`, `write` and `resize` are not requests. */
export type ToKeeper =
  /** First on every connection. A higher epoch displaces the daemon connected before; a lower one is refused. */
  | { type: "hello"; id: number; protocol: number; epoch: number }
  | { type: "list"; id: number }
  /** `run` is the daemon's name for it. The same name again is the same child, or the same failure. */
  | { type: "spawn"; id: number; run: string; spec: SpawnSpec }
  /** Sends a channel's bytes from an offset on, as far as there are any, and goes on as they come. */
  | { type: "read"; id: number; run: string; channel: KeeperChannel; from: number }
  /** Bytes before `offset` are safe: the keeper may let go of them. This is the channel's credit as well. */
  | { type: "ack"; run: string; channel: KeeperChannel; offset: number }
  /** Input for a run's terminal. What a child does not read is dropped once the terminal's queue is full. */
  | { type: "write"; run: string; bytes: Uint8Array }
  | { type: "resize"; run: string; size: TerminalSize }
  /** To the whole group, or to its leader alone. Answered with whether there was anyone to receive it. */
  | { type: "signal"; id: number; run: string; signal: string; group: boolean }
  /** The run is closed in the ledger: drops all that is held of it. The child, if it lives, is let go. */
  | { type: "forget"; id: number; run: string }
  /** Ends the keeper at once if it holds no run. */
  | { type: "quit"; id: number };

/** What a request is answered with. */
export interface Replies {
  hello: { pid: number; protocol: number };
  list: { runs: HeldRun[] };
  spawn: { child: ChildIdentity } | { failure: SpawnFailure };
  read: ChannelState;
  signal: { delivered: boolean };
  forget: Record<string, never>;
  quit: { quitting: boolean };
}

export type RequestType = keyof Replies;

export const REFUSAL_CODES = [
  "bad_request",
  "epoch_too_low",
  "hello_first",
  /** The bytes asked for are acknowledged and gone. */
  "let_go",
  "protocol_mismatch",
  "unknown_run",
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

export type FromKeeper =
  | { type: "reply"; id: number; result: unknown }
  | { type: "refusal"; id: number; code: RefusalCode; message: string }
  | { type: "data"; run: string; channel: KeeperChannel; from: number; bytes: Uint8Array }
  | { type: "exit"; run: string; exit: ChildExit }
  /** Every holder of the pipe has closed it; `length` is all it ever wrote. */
  | { type: "eof"; run: string; channel: KeeperChannel; length: number }
  | { type: "group_gone"; run: string }
  /** Another daemon has taken over; the connection closes. */
  | { type: "displaced"; epoch: number };
