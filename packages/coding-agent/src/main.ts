import { runProgram } from "./capabilities/node/program.ts";
import { runCli } from "./cli/run.ts";

await runProgram(runCli);
