import { readFileSync, statSync } from "node:fs";
import { RefusedError } from "../guard.ts";

/** Where a token may come from; never from the command line itself, which other users of the machine can read. */
export interface TokenReference {
  file?: string;
  /** Name of an environment variable. */
  env?: string;
}

/** A shorter one could be guessed. */
const MIN_LENGTH = 16;

/**
 * The token a reference leads to, or undefined without one.
 * @throws {RefusedError} when it leads nowhere, is too short, or others can read the file.
 */
export const readToken = (
  { file, env }: TokenReference,
  environment: NodeJS.ProcessEnv,
): string | undefined => {
  if (file !== undefined && env !== undefined) {
    throw new RefusedError("--token-file and --token-env are both given.", "Give one of them.");
  }
  if (file !== undefined) return checked(fromFile(file), file);
  if (env === undefined) return undefined;
  const value = environment[env];
  if (value === undefined) throw new RefusedError(`${env} is not set.`, "Export it, or use --token-file.");
  return checked(value.trim(), `the variable ${env}`);
};

const fromFile = (file: string): string => {
  let mode: number;
  let text: string;
  try {
    mode = statSync(file).mode;
    text = readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RefusedError(`The token file cannot be read: ${reason}`, "Check the path of --token-file.");
  }
  if ((mode & 0o077) !== 0) {
    throw new RefusedError(`${file} can be read by others.`, `Run: chmod 600 ${file}`);
  }
  return text.trim();
};

const checked = (token: string, where: string): string => {
  if (token.length < MIN_LENGTH || !/^[\x21-\x7e]+$/.test(token)) {
    throw new RefusedError(
      `The token in ${where} is no string of at least ${MIN_LENGTH} visible ASCII characters.`,
      "Make one with: openssl rand -hex 24",
    );
  }
  return token;
};
