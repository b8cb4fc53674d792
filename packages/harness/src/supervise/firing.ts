/** Why a run is started. */
export interface Firing {
  /** `manual`, `scratch`, `schedule`, `catch_up`, `webhook`, `resume` … */
  trigger: string;
  /** What fired, such as `webhook.github`. */
  source?: string;
  /** The sender's own id of the event. */
  eventId?: string;
  /** The due time that the run stands for. */
  due?: Due;
  /** The event as JSON text, masked. The run gets it as a file, never as an argument or part of its prompt. */
  event?: string;
}

/** One due time of a schedule, or several in a row of which the same is to be said. Milliseconds since the epoch. */
export interface Due {
  /** The time; the last of several. */
  at: number;
  first?: number;
  count?: number;
}
