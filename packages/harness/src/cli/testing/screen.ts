import type { Output } from "../context.ts";

export interface Screen extends Output {
  readonly text: string;
}

/** An output that keeps what is written. */
export const screen = (options: Partial<Pick<Output, "isTty" | "color" | "columns">> = {}): Screen => {
  let text = "";
  return {
    isTty: false,
    color: false,
    columns: Infinity,
    ...options,
    write: (more) => {
      text += more;
    },
    get text() {
      return text;
    },
  };
};
