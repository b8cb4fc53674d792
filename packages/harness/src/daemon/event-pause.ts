import type { Intents } from "../store/intents.ts";

/** Whether events start a harness. What the operator said is on disk, and outlives the daemon. */
export interface EventPause {
  paused(harness: string): boolean;
  pause(harness: string, paused: boolean): void;
}

export const createEventPause = (intents: Intents): EventPause => ({
  paused: (harness) => intents.get(harness).enabled === false,
  pause: (harness, paused) => intents.put(harness, { ...intents.get(harness), enabled: !paused }),
});
