import { reap } from "./libc.ts";
import { ownChildren } from "./proc.ts";

/**
 * Takes the status of processes that became ours when their parent ended. By pid, never "any child": the statuses of the
 * children that Node started are Node's to take.
 */
export const reapOrphans = (startedHere: (pid: number) => boolean): void => {
  for (const pid of ownChildren()) if (!startedHere(pid)) reap(pid);
};
