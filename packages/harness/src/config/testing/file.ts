import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { HarnessError } from "../../base/errors.ts";
import type { Config } from "../definition.ts";
import { loadConfig } from "../load.ts";

/** A folder with files in it (path → text, mode 0600), removed after the test. */
export const folderWith = (t: TestContext, files: Readonly<Record<string, string>> = {}): string => {
  const folder = mkdtempSync(join(tmpdir(), "config-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o600);
  }
  return folder;
};

/** Loads `harness.toml` of a folder, named as an operator standing in it would. */
export const loadIn = async (folder: string): Promise<Config> =>
  loadConfig({ file: "harness.toml", explicit: true, home: join(folder, "home"), cwd: folder });

export const load = async (t: TestContext, toml: string): Promise<Config> =>
  loadIn(folderWith(t, { "harness.toml": toml }));

/** The error of a load that must fail. */
export const loadError = async (loading: Promise<Config>): Promise<HarnessError> => {
  const outcome = await loading.catch((error: unknown) => error);
  if (outcome instanceof HarnessError) return outcome;
  throw new Error(`expected a HarnessError, got ${String(outcome)}`);
};
