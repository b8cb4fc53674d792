import { setTimeout } from "node:timers/promises";

/** Asks again until there is an answer: for what another process does, and tells nobody of. Fails with what it waited for. */
export const until = async <Answer>(
  what: string,
  ask: () => Answer | undefined | false | Promise<Answer | undefined | false>,
): Promise<Answer> => {
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await setTimeout(20);
  }
  throw new Error(`waited in vain: ${what}`);
};
