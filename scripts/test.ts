/**
 * Runs the tests and ends with one line, `N passed, N failed, N skipped`.
 * Usage: `npm test [-- PATH…]`; a path is a test file or a folder.
 */
import { globSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { runTests } from "./run-tests.ts";

const root = resolve(import.meta.dirname, "..");

const testFiles = (paths: readonly string[]): string[] => {
  const wanted =
    paths.length > 0 ? paths.map((path) => resolve(path)) : [join(root, "packages"), join(root, "tests")];
  return wanted.flatMap((path) =>
    statSync(path).isDirectory()
      ? globSync("**/*.test.ts", { cwd: path, exclude: (name) => name === "node_modules" || name === "dist" })
          .map((file) => join(path, file))
          .sort()
      : [path],
  );
};

runTests(testFiles(process.argv.slice(2)));
