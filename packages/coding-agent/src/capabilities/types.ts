/**
 * The world as orphus sees it: seven small interfaces, and no other way out. Production wires `node/`, tests and
 * replays wire `fake/`; everything above is the same code. A model is not part of the world: its transport is handed to
 * the session apart (`provider/`).
 */

export interface ClockCapability {
  readonly kind: string;
  /** Wall time, milliseconds since 1970. */
  now(): number;
  /** Milliseconds from an unspecified start; never goes back. */
  monotonicNow(): number;
  /** Rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface WriteOptions {
  /** Permissions of a file that is created. */
  mode?: number;
  /** `wx` fails with `EEXIST` instead of writing over a file. */
  flag?: "w" | "wx";
}

export interface FileStat {
  size: number;
  /** Permission bits only (`0o777`). */
  mode: number;
  isDirectory: boolean;
  /** Milliseconds since 1970; a fake file system says 0. */
  modifiedMs: number;
}

/** Failures are errors with a `code` such as `ENOENT`. */
export interface FileSystemCapability {
  readonly kind: string;
  /** UTF-8. */
  readFile(path: string): Promise<string>;
  /** As `readFile`, in pieces of any length: a session may be larger than what fits in memory. */
  readPieces(path: string): AsyncIterable<string>;
  writeFile(path: string, data: string, options?: WriteOptions): Promise<void>;
  /**
   * Adds to the end of a file in one write, and with `sync` does not return before it is on the disk. A session could
   * not keep its promise (recorded before sent) with `writeFile` alone.
   */
  appendFile(path: string, data: string, options?: { mode?: number; sync?: boolean }): Promise<void>;
  mkdir(path: string, options?: { recursive?: boolean; mode?: number }): Promise<void>;
  /** Undefined when nothing is there. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Names in a folder, sorted; `--continue` finds the last session by them. */
  readdir(path: string): Promise<string[]>;
  /** Puts a file in the place of another, whole or not at all. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file or a whole folder; a path where nothing is, is no failure. */
  remove(path: string): Promise<void>;
}

export interface SpawnOptions {
  cwd?: string;
  /** Laid over the own environment; undefined takes a variable away. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Ends the process and its descendants. */
  signal?: AbortSignal;
}

export interface ExecOptions extends SpawnOptions {
  /** Hears each piece of output as it comes, both streams. */
  onOutput?(text: string): void;
}

/** `code` is null when a signal ended the process or it never started; the reason then stands in `stderr`. */
export interface ExecResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface ProcessHandle {
  readonly pid?: number;
  /** Settles once and never rejects. */
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  kill(signal?: string): void;
}

/** The processes that are started, and what the own process was given at its start. */
export interface ProcessCapability {
  readonly kind: string;
  spawn(command: string, args: readonly string[], options?: SpawnOptions): ProcessHandle;
  /** Runs to the end and collects output until the streams close, also after the process is gone. Never throws. */
  exec(command: string, args: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** The environment at the start. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory at the start. */
  readonly cwd: string;
  /** Loads a module of code, JavaScript or TypeScript that Node strips: an extension. Absolute path. */
  readonly loadModule: (path: string) => Promise<unknown>;
  /** Random bytes, for ids. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Hears a signal instead of dying of it; returns how to stop. */
  onSignal(signal: "SIGINT" | "SIGTERM", handler: () => void): () => void;
}

export interface CredentialEntry {
  /** The only part that may reach a log or the model. */
  label: string;
  /** Where the credential may be used. */
  origin: string;
  username?: string;
}

export interface CredentialCapability {
  readonly kind: string;
  /** Never holds a secret. */
  list(): Promise<CredentialEntry[]>;
  reveal(label: string): Promise<string | undefined>;
}

export interface BrowserCapability {
  readonly kind: string;
  isAvailable(): boolean;
}

export interface TranscriptionCapability {
  readonly kind: string;
  isAvailable(): boolean;
}

export interface TerminalTransportCapability {
  readonly kind: string;
  /** Whether the output is a terminal. */
  readonly isTTY: boolean;
  /** Whether the input is one, so that nothing comes of it unless someone types. */
  readonly inputIsTTY: boolean;
  columns(): number;
  rows(): number;
  write(data: string): void;
  /** Beside the output proper (stderr), so that a protocol on the output stays clean. */
  writeError(data: string): void;
  setRawMode(enabled: boolean): void;
  /** Each returns how to unsubscribe. */
  onData(listener: (data: string) => void): () => void;
  /** The input has ended. */
  onEnd(listener: () => void): () => void;
  onResize(listener: () => void): () => void;
}

export interface HarnessCapabilities {
  readonly clock: ClockCapability;
  readonly fs: FileSystemCapability;
  readonly process: ProcessCapability;
  readonly credentials: CredentialCapability;
  readonly browser: BrowserCapability;
  readonly transcription: TranscriptionCapability;
  readonly terminal: TerminalTransportCapability;
}

export type HarnessCapabilityOverrides = Partial<HarnessCapabilities>;
