import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One numbered step from one schema to the next. */
export interface Migration {
  /** From 1, without gaps. */
  number: number;
  name: string;
  sql: string;
  sha256: string;
}

const fileShape = /^(\d{4})_(\w+)\.sql$/;

/** The steps for one database, in order. The files lie beside `src` and `dist`, so that both find them. */
export const readMigrations = (dialect: "sqlite"): Migration[] => {
  const dir = join(import.meta.dirname, "..", "..", "migrations", dialect);
  return readdirSync(dir)
    .sort()
    .map((file, index) => {
      const [, digits, name] = fileShape.exec(file) ?? [];
      if (digits === undefined || name === undefined || Number(digits) !== index + 1) {
        throw new Error(`${join(dir, file)}: expected ${String(index + 1).padStart(4, "0")}_<name>.sql`);
      }
      const sql = readFileSync(join(dir, file), "utf8");
      return { number: index + 1, name, sql, sha256: createHash("sha256").update(sql).digest("hex") };
    });
};

/**
 * The steps that are still to be taken.
 * @param applied number and hash of those already taken, in order.
 * @throws when the database is newer than this program, or was made by other steps.
 */
export const pendingMigrations = (
  all: readonly Migration[],
  applied: readonly { number: number; sha256: string }[],
): Migration[] => {
  for (const { number, sha256 } of applied) {
    const step = all[number - 1];
    if (step === undefined) {
      throw new Error(`its schema ${number} is newer than this program knows (${all.length}); upgrade cairn`);
    }
    if (step.sha256 !== sha256) throw new Error(`its schema step ${number} is not the one this program has`);
  }
  return all.slice(applied.length);
};
