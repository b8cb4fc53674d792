import { z } from "zod";
import { HarnessError } from "../base/errors.ts";
import { readEnvFile } from "./env-file.ts";

/** Where a secret is to be read from. Its value is in no configuration, message or list. */
export interface SecretReference {
  /** Absolute path of a file of `NAME=value` lines. */
  file: string;
  name: string;
}

const reference = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** A key whose value is a secret: `${NAME}`, and nothing else. What stands there instead is not repeated in the error. */
export const secretKey = z.string({ error: "must be a reference" }).regex(reference, {
  error:
    'must be a reference such as "${TOKEN}" to a name in env_file; the secret itself never stands in this file',
});

/** The name in a value that {@link secretKey} let through. */
export const secretName = (value: string): string => reference.exec(value)?.[1] ?? "";

/** Keys that hold secrets, or should: what they say is never shown. */
export const isSecretKey = (key: string): boolean => /^(?:secret|token|password)$/.test(key);

/** Reads the secret. Throws `config_invalid`, naming file and name, never a value. */
export const readSecret = ({ file, name }: SecretReference): string => {
  const value = readEnvFile(file)[name];
  if (value !== undefined && value !== "") return value;
  throw new HarnessError("config_invalid", `env_file ${file} has no value for ${name}`, {
    hint: `add a line ${name}=…`,
  });
};
