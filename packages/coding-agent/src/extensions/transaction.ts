import { AsyncLocalStorage } from "node:async_hooks";

/** A change that is made when the outermost transaction commits. */
type Change = () => void;

interface Frame {
  parent: Frame | undefined;
  changes: Change[];
  state: "open" | "committed" | "rolled back";
}

/**
 * Transactions over registrations. A transaction belongs to the asynchronous work it was opened for, so that two that
 * overlap in time (parallel tools) do not mix.
 */
export interface Transactions {
  /**
   * Runs something whose registrations are published together when it succeeds, and forgotten when it throws. Inside
   * another transaction nothing is published before that one commits.
   */
  run<T>(work: () => T | Promise<T>): Promise<T>;
  /** Adds a change to the current transaction; outside of one it is made at once. */
  stage(change: Change): void;
}

/** `published` is called once after each outermost commit. */
export const createTransactions = (published: () => void): Transactions => {
  const current = new AsyncLocalStorage<Frame>();

  const publish = (changes: readonly Change[]): void => {
    for (const change of changes) change();
    published();
  };

  return {
    async run(work) {
      const surrounding = current.getStore();
      const parent = surrounding?.state === "open" ? surrounding : undefined;
      const frame: Frame = { parent, changes: [], state: "open" };
      try {
        const result = await current.run(frame, work);
        frame.state = "committed";
        if (parent === undefined) publish(frame.changes);
        else parent.changes.push(...frame.changes);
        return result;
      } catch (error) {
        frame.state = "rolled back";
        throw error;
      }
    },
    stage(change) {
      let frame = current.getStore();
      // Work that outlives its transaction: what belonged to a committed one goes where that went.
      while (frame?.state === "committed") frame = frame.parent;
      if (frame === undefined) publish([change]);
      else if (frame.state === "open") frame.changes.push(change);
      else
        throw new Error(
          "The event this was registered in has failed, and its registrations were rolled back.",
        );
    },
  };
};
