import { createReplayRuntime, type ScriptedTurn } from "../../packages/coding-agent/src/index.ts";

const lengths = [250, 500, 1000];

/** Turns of the kind a run has most of: something is said, a command is run, and its output is read. */
const scriptOf = (turns: number): ScriptedTurn[] =>
  Array.from({ length: turns }, (_, turn) =>
    turn === turns - 1
      ? { text: "Done.", usage: { input: 10, output: 2 } }
      : {
          text: `Step ${turn}: the next part of the program.`,
          toolCalls: [
            { id: `call_${turn}`, name: "bash", arguments: { command: `sed -n ${turn}p src/main.ts` } },
          ],
          usage: { input: 10, output: 20 },
        },
  );

/** CPU milliseconds of a scripted run on the fake world, and the size of the session it leaves. */
const measure = async (turns: number): Promise<{ ms: number; bytes: number }> => {
  const runtime = await createReplayRuntime({
    script: scriptOf(turns),
    tools: ["bash"],
    settings: { maxTurns: turns },
  });
  const before = process.cpuUsage();
  const result = await runtime.session.prompt("work through the program");
  const { user, system } = process.cpuUsage(before);
  if (result.subtype !== "success" || result.turns !== turns)
    throw new Error(`the run ended after ${result.turns} turns: ${result.error?.message ?? result.subtype}`);
  const { length } = await runtime.capabilities.fs.readFile(runtime.session.path ?? "");
  runtime.dispose();
  return { ms: (user + system) / 1000, bytes: length };
};

/** Prints how the time of a run grows with its turns. A session's bodies grow with the square of them. */
export const compareTurns = async (): Promise<void> => {
  // What is loaded and compiled once is no part of a turn.
  await measure(20);
  let base: number | undefined;
  for (const turns of lengths) {
    const { ms, bytes } = await measure(turns);
    base ??= ms;
    console.log(
      `${String(turns).padStart(5)} turns, ${(bytes / 1e6).toFixed(0).padStart(4)} MB  ` +
        `${(ms / base).toFixed(2).padStart(6)} times ${lengths[0]} turns  ${(ms / turns).toFixed(1)} ms a turn`,
    );
  }
};
