import { availableParallelism } from "node:os";
import { relative, resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";

const root = resolve(import.meta.dirname, "..");

export interface TestRun {
  /** Longest that one test may take. */
  timeoutMs: number;
  /** Test files that run at a time. */
  concurrency: number;
  /** Whether it is well when every test was skipped. */
  mayAllBeSkipped: boolean;
}

/** Many tests wait for a program rather than compute; one file at a time would leave a small machine idle. */
const everyTest: TestRun = {
  // A test that waits for an event that never comes must fail, not hang the run.
  timeoutMs: 120_000,
  concurrency: Math.max(3, availableParallelism()),
  mayAllBeSkipped: false,
};

const label = (event: { name: string; file?: string | undefined }): string =>
  `${event.name} (${relative(root, event.file ?? "")})`;

/**
 * Runs test files from source, prints what `node:test` does, and ends with one line, `N passed, N failed, N skipped`,
 * counted from the runner's own events. Sets the exit code.
 */
export const runTests = (files: readonly string[], options: TestRun = everyTest): void => {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const skipped: string[] = [];
  const failed: string[] = [];
  const stream = run({
    files,
    concurrency: options.concurrency,
    isolation: "process",
    execArgv: ["--conditions=orphus-source", "--disable-warning=ExperimentalWarning"],
    timeout: options.timeoutMs,
  });
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
      const isEmpty = counts.passed === 0 && !(options.mayAllBeSkipped && counts.skipped > 0);
      process.exitCode = counts.failed > 0 || isEmpty ? 1 : 0;
    });
  });
  stream.compose(new spec()).pipe(process.stdout);
};
