import { num, obj, opt, str } from "@earendil-works/pi-schema";
import type { ExecResult } from "../capabilities/types.ts";
import { defineTool, type RunningCall } from "./define.ts";
import { tail } from "./limits.ts";
import type { ToolResult } from "./tool.ts";

/** How a command can be cut short. */
class TimeOut extends Error {
  override name = "TimeOut";
}

const describe = (output: string, notes: readonly string[]): ToolResult["content"] => {
  const shown = tail(output.replace(/\n$/u, "").split("\n"));
  const body = shown.lines.join("\n");
  const cut = shown.cut ? "[The beginning of the output was left out.]\n" : "";
  return [{ type: "text", text: [cut + (body === "" ? "(no output)" : body), ...notes].join("\n\n") }];
};

const toResult = (
  result: ExecResult,
  output: string,
  reason: unknown,
  timeout: number | undefined,
): ToolResult => {
  if (reason instanceof TimeOut)
    return {
      content: describe(output, [`Command ended after its time-out of ${timeout} s`]),
      outcome: "timed_out",
      errorCode: "timed_out",
      isError: true,
    };
  if (reason !== undefined)
    return {
      content: describe(output, ["Command aborted"]),
      outcome: "aborted",
      errorCode: "aborted",
      isError: true,
    };
  if (result.code === null)
    return {
      content: describe(output, [`Command did not end by itself: ${result.stderr}`]),
      errorCode: "killed",
      isError: true,
    };
  if (result.code !== 0)
    return {
      content: describe(output, [`Command exited with code ${result.code}`]),
      exitCode: result.code,
      errorCode: "exit_nonzero",
      isError: true,
    };
  return { content: describe(output, []), exitCode: 0 };
};

const run = async (command: string, timeout: number | undefined, call: RunningCall): Promise<ToolResult> => {
  const { process, clock } = call.capabilities;
  const ended = new AbortController();
  const stop = AbortSignal.any([call.signal, ended.signal]);
  const finished = new AbortController();
  if (timeout !== undefined)
    clock.sleep(timeout * 1000, finished.signal).then(
      () => ended.abort(new TimeOut()),
      () => undefined, // The command was faster.
    );
  let output = "";
  const result = await process.exec("/bin/sh", ["-c", command], {
    cwd: call.cwd,
    signal: stop,
    onOutput(text) {
      output += text;
      call.onUpdate(text);
    },
  });
  finished.abort();
  return toResult(result, output, stop.aborted ? (stop.reason ?? "aborted") : undefined, timeout);
};

/** Runs a shell command in the working directory. */
export const bashTool = defineTool({
  name: "bash",
  label: "Bash",
  description: "Runs a shell command in the working directory and gives its output. No terminal, no input.",
  parameters: obj({
    command: str({ minLength: 1, description: "The command line." }),
    timeout: opt(
      num({ exclusiveMinimum: 0, description: "Seconds after which it is ended. Default: none." }),
    ),
  }),
  executionMode: "sequential",
  run: ({ command, timeout }, call) => run(command, timeout, call),
});
