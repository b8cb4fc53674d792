import { isIP } from "node:net";

/** The server was asked for something it does not do; `hint` says what to do instead. */
export class RefusedError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = "RefusedError";
    this.hint = hint;
  }
}

/** Whether a host name or address can only be reached from this machine. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** @throws {RefusedError} for a host beyond loopback without a token. */
export const refuseOpenHost = (host: string, token: string | undefined): void => {
  if (token !== undefined || isLoopback(host)) return;
  throw new RefusedError(
    `${host} can be reached from other machines, and everyone could write.`,
    "Name a token with --token-file or --token-env, or listen on 127.0.0.1.",
  );
};
