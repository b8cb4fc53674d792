/** A schedule that cannot be read; the message says what is wrong and what is allowed. */
export class ScheduleError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ScheduleError";
  }
}
