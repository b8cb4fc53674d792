import { resolve } from "node:path";
import { brokenRules } from "./check.ts";

const problems = brokenRules(resolve(import.meta.dirname, "..", ".."));
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0
    ? "boundaries: every import keeps to the tables"
    : `boundaries: ${problems.length} broken`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
