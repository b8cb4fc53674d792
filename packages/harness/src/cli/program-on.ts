import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";

/** Where a program is on a PATH; undefined when it is not. */
export const programOn = (path: string | undefined, program: string): string | undefined =>
  (path ?? "")
    .split(":")
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, program))
    .find(isProgram);

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};
