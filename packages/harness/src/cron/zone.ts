/** A stretch of time in which a zone's clocks ran at one distance from UTC. Times are milliseconds since the epoch. */
export interface Stretch {
  /** First instant. */
  start: number;
  /** First instant after it. */
  end: number;
  /** Local time minus UTC, in ms. */
  offset: number;
  /** The offset before `start`: smaller where the clocks were set forward, greater where they were set back. */
  before: number;
}

/** A time zone's clock. */
export interface Zone {
  readonly name: string;
  /** The stretch that holds an instant. Its ends are exact near the instant, and cautious far from it. */
  stretchAt(instant: number): Stretch;
}

interface Change {
  at: number;
  before: number;
  after: number;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The zone of an IANA name, by the data of this Node; undefined when there is no such zone. */
export const zoneNamed = (name: string): Zone | undefined => {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { ...FIELDS, timeZone: name });
  } catch {
    return undefined;
  }
  const offsetAt = (instant: number): number => wallOf(format, instant) - instant;
  const years = new Map<number, Change[]>();
  const changesIn = (year: number): Change[] => {
    const known = years.get(year) ?? findChanges(offsetAt, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
    years.set(year, known);
    return known;
  };
  return {
    name,
    stretchAt: (instant) => {
      const year = new Date(instant).getUTCFullYear();
      const changes = [year - 1, year, year + 1].flatMap(changesIn);
      const last = changes.findLast(({ at }) => at <= instant);
      const next = changes.find(({ at }) => at > instant);
      const offset = last?.after ?? next?.before ?? offsetAt(wholeMinute(instant));
      return {
        start: last?.at ?? Date.UTC(year - 1, 0, 1),
        end: next?.at ?? Date.UTC(year + 2, 0, 1),
        offset,
        before: last?.before ?? offset,
      };
    },
  };
};

/** The zone of the machine, which `TZ` can name. */
export const localZoneName = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

const FIELDS = {
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
} as const;

const wholeMinute = (instant: number): number => Math.floor(instant / MINUTE_MS) * MINUTE_MS;

/** What the zone's clocks show, as if it were UTC. */
const wallOf = (format: Intl.DateTimeFormat, instant: number): number => {
  const part = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const field = (name: Intl.DateTimeFormatPartTypes): number => part.get(name) ?? 0;
  return Date.UTC(
    field("year"),
    field("month") - 1,
    field("day"),
    field("hour"),
    field("minute"),
    field("second"),
  );
};

/** Changes of the offset between two instants; no zone changes twice within a day. */
const findChanges = (offsetAt: (instant: number) => number, from: number, to: number): Change[] => {
  const changes: Change[] = [];
  let before = offsetAt(from);
  for (let day = from; day < to; day += DAY_MS) {
    const end = Math.min(day + DAY_MS, to);
    const after = offsetAt(end);
    if (after !== before) changes.push({ at: changeBetween(offsetAt, day, end, before), before, after });
    before = after;
  }
  return changes;
};

/** The first minute at which the offset is no longer `before`. */
const changeBetween = (
  offsetAt: (instant: number) => number,
  from: number,
  to: number,
  before: number,
): number => {
  let [low, high] = [from / MINUTE_MS, to / MINUTE_MS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * MINUTE_MS) === before) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
};
