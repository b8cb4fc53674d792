/** The daemon said no, or could not be asked. */
export class DaemonError extends Error {
  /** Stable; the codes of the `--json` contract, such as `unknown_harness`. */
  readonly code: string;
  /** What to do next, in one sentence. */
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "DaemonError";
    this.code = code;
    this.hint = options.hint;
  }
}
