import type { JsonValue } from "@orphus/agent-trace";
import { stripControls, type Redactor } from "@orphus/agent-trace/redact";
import type { LineFile } from "./line-file.ts";
import { cutText, droppedText } from "./markers.ts";
import type { LineHandler } from "./pipe.ts";

export interface StderrOptions {
  redactor: Redactor;
  log: LineFile;
  state: JsonValue | undefined;
}

/**
 * stderr goes to the run log alone: escape sequences out first, so that a colour in the middle of a secret does not hide
 * it, then masked.
 */
export const createStderr = ({ redactor, log, state }: StderrOptions): LineHandler => {
  const mask = redactor.lines(state);
  return {
    line(line) {
      if (line.type === "line") log.append(mask.text(stripControls(line.text)), "stderr");
      else if (line.type === "dropped") log.append(droppedText("stderr", line.bytes, line.limit), "stderr");
      else log.append(cutText("stderr", line.bytes), "stderr");
    },
    state: () => mask.state(),
  };
};
