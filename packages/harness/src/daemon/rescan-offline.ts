import { createRedactor } from "@orphus/agent-trace/redact";
import { ruleSetOf } from "../base/mask.ts";
import { statePaths } from "../base/paths.ts";
import { loadConfig } from "../config/load.ts";
import type { RescanReport } from "../protocol/methods.ts";
import { openStore } from "../store/store.ts";
import { prepareStateFolder } from "./folder.ts";
import { takeLock } from "./lock.ts";
import { runRescan } from "./rescan.ts";
import type { DaemonOptions } from "./run.ts";

/**
 * The rescan of a state folder without a daemon, under the rules of the configuration. It holds the daemon's lock, so that
 * none can start meanwhile. Fails with `daemon_running`, and for a configuration or store that cannot be used.
 */
export const rescanOffline = async (
  options: Pick<DaemonOptions, "config" | "stateDir" | "home" | "cwd">,
  check: boolean,
): Promise<RescanReport> => {
  process.umask(0o077);
  const { redactRules: rules } = await loadConfig({
    ...options.config,
    home: options.home,
    cwd: options.cwd,
  });
  const paths = statePaths(options.stateDir);
  prepareStateFolder(paths.dir);
  const lock = takeLock(paths.lock);
  try {
    const redactor = createRedactor({ rules });
    const store = openStore(paths.store, { mask: redactor.redact, ruleSet: ruleSetOf(redactor) });
    try {
      return await runRescan({ store, paths, rules }, check);
    } finally {
      store.close();
    }
  } finally {
    lock.release();
  }
};
