import { HarnessError } from "../base/errors.ts";
import type { Database } from "./database.ts";
import { record } from "./migrations/001-record.ts";
import { views } from "./migrations/002-views.ts";
import { schedules } from "./migrations/003-schedules.ts";
import { events } from "./migrations/004-events.ts";
import { intents } from "./migrations/005-intents.ts";
import { parks } from "./migrations/006-parks.ts";
import { ruleSets } from "./migrations/007-rule-sets.ts";
import { integer } from "./row.ts";

/** Forward only. A migration that was released is never changed: the next one corrects it. */
const MIGRATIONS: readonly string[] = [record, views, schedules, events, intents, parks, ruleSets];

/** The schema this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Number of migrations the file has had; 0 for a new one. */
export const schemaVersion = (database: Database): number =>
  integer(database.get("PRAGMA user_version") ?? {}, "user_version");

/** Refuses a file of a newer program before anything is done to it. */
export const refuseNewer = (database: Database, file: string): void => {
  const found = schemaVersion(database);
  if (found <= SCHEMA_VERSION) return;
  throw new HarnessError(
    "store_newer",
    `${file} was written by a newer version (schema ${found}; this version knows ${SCHEMA_VERSION}).`,
    {
      hint: "Install that version again, or point HARNESS_STATE_DIR at another folder. The file is untouched.",
    },
  );
};

/** Brings the file to {@link SCHEMA_VERSION}, each step in a transaction of its own: what fails leaves the step before. */
export const migrate = (database: Database): void => {
  for (let version = schemaVersion(database); version < SCHEMA_VERSION; version += 1) {
    database.transaction("power", () => {
      database.exec(MIGRATIONS[version] ?? "");
      database.exec(`PRAGMA user_version = ${version + 1}`);
    });
  }
};
