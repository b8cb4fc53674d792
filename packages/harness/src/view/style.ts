import { styleText } from "node:util";

/** How a page is written. */
export interface ViewStyle {
  color: boolean;
  /** Columns of the terminal; 0 = lines are not cut. */
  width: number;
  /** IANA name; the machine's own when absent. */
  timeZone?: string;
}

/** Columns of the word that says what a line is. */
export const LABEL_WIDTH = 8;

type Color = "dim" | "bold" | "red" | "green" | "yellow" | "cyan";

export const paint = (style: ViewStyle, color: Color, text: string): string =>
  style.color ? styleText(color, text, { validateStream: false }) : text;

/** Turns ISO times into local ones, for many lines. */
export interface LocalTime {
  /** `HH:MM:SS`; blanks of the same width for an unknown time. */
  time(iso: string | undefined): string;
  /** `MM-DD HH:MM`. */
  date(iso: string): string;
}

export const localTime = (style: ViewStyle): LocalTime => {
  const zone = style.timeZone === undefined ? {} : { timeZone: style.timeZone };
  const format = new Intl.DateTimeFormat("en-GB", {
    ...zone,
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  const parts = (iso: string): Record<string, string> =>
    Object.fromEntries(format.formatToParts(new Date(iso)).map((part) => [part.type, part.value]));
  return {
    time(iso) {
      if (iso === undefined || Number.isNaN(Date.parse(iso))) return " ".repeat("HH:MM:SS".length);
      const { hour, minute, second } = parts(iso);
      return `${hour}:${minute}:${second}`;
    },
    date(iso) {
      const { month, day, hour, minute } = parts(iso);
      return `${month}-${day} ${hour}:${minute}`;
    },
  };
};
