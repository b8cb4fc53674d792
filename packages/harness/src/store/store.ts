import { builtInRuleSet, maskText, type Mask } from "../base/mask.ts";
import type { Batch, Committed, Cursor } from "./batch.ts";
import { createIntents, type Intents } from "./intents.ts";
import { getCursor, putCursor } from "./cursor.ts";
import type { Database } from "./database.ts";
import { createEpoch, createLedger, type Epoch, type Ledger } from "./ledger.ts";
import { mergeItems } from "./merge.ts";
import { openWritable } from "./open.ts";
import { createParks, type Parks } from "./parks.ts";
import { storeReader, type StoreReader } from "./read.ts";
import { createRescans, type Rescans } from "./rescan.ts";
import { integer } from "./row.ts";
import { createSchedules, type Schedules } from "./schedules.ts";

/** The one writer. The daemon that holds the state folder's lock has it; everyone else reads. */
export interface Store {
  readonly ledger: Ledger;
  readonly intents: Intents;
  readonly epoch: Epoch;
  readonly schedules: Schedules;
  readonly parks: Parks;
  readonly read: StoreReader;
  readonly rescans: Rescans;
  /**
   * Commits items, cursors and output segments together and returns what that changed. Throws `store_failed` when
   * nothing was committed: the same batch may then be given again.
   */
  commit(batch: Batch): Committed;
  cursor(source: string): Cursor | undefined;
  /** Where a lossless subscriber is: the last change it has dealt with; 0 for a new one. */
  subscriber(name: string): number;
  /** Remembers that the subscriber has dealt with everything up to `change`. */
  acknowledge(name: string, change: number): void;
  close(): void;
}

/**
 * Opens (or makes) the store at `file` and brings it to the current schema. `mask` is for the words of the ledger; items
 * come masked, under the rules that `ruleSet` names. Throws `store_failed` and `store_newer`.
 */
export const openStore = (
  file: string,
  { mask = maskText, ruleSet = builtInRuleSet() }: { mask?: Mask; ruleSet?: string } = {},
): Store => {
  const database = openWritable(file);
  return {
    ledger: createLedger(database, { mask, ruleSet }),
    intents: createIntents(database),
    epoch: createEpoch(database),
    schedules: createSchedules(database),
    parks: createParks(database),
    read: storeReader(database),
    rescans: createRescans(database),
    commit: (batch) => database.transaction("kill", () => commitBatch(database, batch)),
    cursor: (source) => getCursor(database, source),
    subscriber: (name) => {
      const row = database.get("SELECT change FROM subscriber WHERE name = ?", name);
      return row === undefined ? 0 : integer(row, "change");
    },
    acknowledge: (name, change) =>
      database.transaction("kill", () => {
        database.run(
          `INSERT INTO subscriber (name, change) VALUES (?, ?)
           ON CONFLICT (name) DO UPDATE SET change = max(change, excluded.change)`,
          name,
          change,
        );
      }),
    close: () => database.close(),
  };
};

const commitBatch = (database: Database, batch: Batch): Committed => {
  let change = integer(database.get("SELECT change FROM meta") ?? {}, "change");
  const nextChange = (): number => {
    change += 1;
    return change;
  };
  const items = mergeItems(database, batch, nextChange);
  const output = batch.output.map((segment) => ({ change: nextChange(), segment }));
  for (const { change, segment } of output) {
    database.run(
      "INSERT INTO output (change, harness, run_id, channel, at, from_byte, to_byte) VALUES (?, ?, ?, ?, ?, ?, ?)",
      change,
      batch.run.harness,
      batch.run.runId,
      segment.channel,
      segment.at,
      segment.from,
      segment.to,
    );
  }
  for (const cursor of batch.cursors) putCursor(database, batch.run, cursor);
  database.run("UPDATE meta SET change = ?", change);
  return { items, output };
};
