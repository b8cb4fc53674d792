import type { Database } from "./database.ts";
import { optionalInteger, optionalText, present } from "./row.ts";

/** What outlives a daemon of a harness's state. */
export interface Intent {
  /**
   * Whether it is to run; absent = as the configuration says. Of a one-shot: whether events start it; absent = they do.
   */
  enabled?: boolean;
  /** Why it has failed and is not started again by itself, in words. */
  failed?: string;
}

/** The operator's word and the supervisor's verdict on each harness. Every change is on disk before it returns. */
export interface Intents {
  get(harness: string): Intent;
  put(harness: string, intent: Intent): void;
}

export const createIntents = (database: Database): Intents => ({
  get: (harness) => readIntent(database, harness),
  put: (harness, { enabled, failed }) =>
    database.transaction("power", () => {
      database.run(
        `INSERT INTO intent (harness, enabled, failed) VALUES (?, ?, ?)
         ON CONFLICT (harness) DO UPDATE SET enabled = excluded.enabled, failed = excluded.failed`,
        harness,
        enabled === undefined ? null : Number(enabled),
        failed ?? null,
      );
    }),
});

export const readIntent = (database: Database, harness: string): Intent => {
  const row = database.get("SELECT enabled, failed FROM intent WHERE harness = ?", harness);
  if (row === undefined) return {};
  const enabled = optionalInteger(row, "enabled");
  return present({
    enabled: enabled === undefined ? undefined : enabled === 1,
    failed: optionalText(row, "failed"),
  });
};
