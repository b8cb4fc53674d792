import { systemClock, type Clock } from "../../base/clock.ts";

export interface HandClock extends Clock {
  advance(ms: number): void;
}

/** A clock that stands still until it is moved, and then runs what is due. */
export const handClock = (): HandClock => {
  let now = 0;
  const tasks = new Set<{ due: number; task: () => void }>();
  return {
    now: () => now,
    monotonic: () => now,
    after(ms, task) {
      const entry = { due: now + ms, task };
      tasks.add(entry);
      return () => {
        tasks.delete(entry);
      };
    },
    advance(ms) {
      now += ms;
      for (const entry of [...tasks].filter(({ due }) => due <= now)) {
        tasks.delete(entry);
        entry.task();
      }
    },
  };
};

/** From here on a timer is one that a test does not wait for. */
const LONG_MS = 5000;

/**
 * The system's clock, but its long timers run when told to. `due(ms)` resolves once a timer of that length is set, and
 * then runs it.
 */
export interface PatientClock extends Clock {
  due(ms: number): Promise<void>;
  /** Long timers run at once from now on, those that are set already too. */
  rush(): void;
}

export const patientClock = (): PatientClock => {
  const timers = new Set<{ ms: number; task: () => void }>();
  const waiting = new Set<() => void>();
  let rushing = false;
  return {
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic(),
    rush() {
      rushing = true;
      for (const { task } of timers) task();
      timers.clear();
    },
    after(ms, task) {
      if (rushing || ms < LONG_MS) return systemClock.after(rushing ? 0 : ms, task);
      const timer = { ms, task };
      timers.add(timer);
      for (const wake of waiting) wake();
      waiting.clear();
      return () => {
        timers.delete(timer);
      };
    },
    async due(ms) {
      for (;;) {
        const timer = [...timers].find((each) => each.ms === ms);
        if (timer !== undefined) {
          timers.delete(timer);
          return timer.task();
        }
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
  };
};
