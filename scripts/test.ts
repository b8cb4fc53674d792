/**
 * Runs the tests and ends with one line, `N passed, N failed, N skipped`, counted from the runner's own events.
 * Usage: `npm test [-- PATH…]`; a path is a test file or a folder.
 */
import { globSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative, resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";

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

const files = testFiles(process.argv.slice(2));
const counts = { passed: 0, failed: 0, skipped: 0 };
const skipped: string[] = [];
const failed: string[] = [];

const stream = run({
  files,
  // Many tests wait for a program rather than compute; one file at a time would leave a small machine idle.
  concurrency: Math.max(3, availableParallelism()),
  isolation: "process",
  execArgv: ["--conditions=orphus-source", "--disable-warning=ExperimentalWarning"],
  // A test that waits for an event that never comes must fail, not hang the run.
  timeout: 120_000,
});

const label = (event: { name: string; file?: string | undefined }): string =>
  `${event.name} (${relative(root, event.file ?? "")})`;

stream.on("test:pass", (event) => {
  if (event.details.type === "suite") return;
  if (event.skip !== undefined) {
    counts.skipped += 1;
    skipped.push(`${label(event)}${typeof event.skip === "string" ? `: ${event.skip}` : ""}`);
  } else {
    counts.passed += 1;
  }
});
stream.on("test:fail", (event) => {
  if (event.details.type === "suite") return;
  counts.failed += 1;
  failed.push(label(event));
});
stream.on("end", () => {
  // The reporter prints its last lines after this event; ours comes behind them.
  setImmediate(() => {
    for (const name of skipped) console.log(`skipped: ${name}`);
    for (const name of failed) console.log(`failed: ${name}`);
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
  });
});
stream.compose(new spec()).pipe(process.stdout);
