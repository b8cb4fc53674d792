import type { Clock } from "../base/clock.ts";
import type { ProcessEnd } from "../record/intake.ts";

/** Time between SIGTERM and SIGKILL. */
export const GRACE_MS = 10_000;

export type StopReason = NonNullable<ProcessEnd["stoppedBy"]>;

/** Ends a run's group: asks with SIGTERM, and after the grace insists with SIGKILL. The first reason stands. */
export class Ending {
  readonly #clock: Clock;
  readonly #signal: (signal: NodeJS.Signals) => void;
  #reason: StopReason | undefined;
  #begun = false;
  #cancel: (() => void) | undefined;
  #settle: () => void = () => undefined;
  /** Settles when nothing of the group is left, or SIGKILL has been sent to what is. */
  readonly settled: Promise<void>;

  constructor(clock: Clock, signal: (signal: NodeJS.Signals) => void) {
    this.#clock = clock;
    this.#signal = signal;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** Before there is a process the reason is kept, and {@link begin} acts on it. */
  ask(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    if (this.#begun) this.#terminate();
  }

  /** There is a process to end now. */
  begin(): void {
    this.#begun = true;
    if (this.#reason !== undefined) this.#terminate();
  }

  /** The group is empty, or nobody can reach it any more. */
  over(): void {
    this.#cancel?.();
    this.#settle();
  }

  #terminate(): void {
    this.#signal("SIGTERM");
    this.#cancel = this.#clock.after(GRACE_MS, () => {
      this.#signal("SIGKILL");
      this.#settle();
    });
  }
}
