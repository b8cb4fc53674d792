import type { ViewStyle } from "../view/style.ts";
import type { Output } from "./context.ts";

/** How the one renderer writes for an output: uncut where nobody looks at lines. */
export const viewStyle = (output: Output): ViewStyle => ({
  color: output.color,
  width: Number.isFinite(output.columns) ? output.columns : 0,
});

export const writeLines = (output: Output, lines: readonly string[]): void =>
  output.write(lines.map((line) => `${line}\n`).join(""));
