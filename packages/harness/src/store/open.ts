import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { HarnessError } from "../base/errors.ts";
import { openDatabase, type Database } from "./database.ts";
import { migrate, refuseNewer } from "./migrate.ts";

const STICKY = 0o1000;

/** Makes the folder ours alone. A folder that others share is refused, not taken over. */
const privateFolder = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mode = statSync(folder).mode;
  if ((mode & STICKY) !== 0) {
    throw new HarnessError("store_failed", `${folder} is shared with other users.`, {
      hint: "Point HARNESS_STATE_DIR at a folder of its own.",
    });
  }
  if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
};

/** SQLite gives its side files the mode of the file, so that mode must be right before SQLite opens it. */
const privateFile = (file: string): void => {
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
};

/** Opens the store for writing, in a private folder, at the current schema. */
export const openWritable = (file: string): Database => {
  if (existsSync(file)) {
    const look = openDatabase(file, { readOnly: true });
    try {
      refuseNewer(look, file);
    } finally {
      look.close();
    }
  }
  privateFolder(dirname(file));
  privateFile(file);
  const database = openDatabase(file, { readOnly: false });
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON");
    migrate(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
};
