import { int, obj, opt, str } from "@earendil-works/pi-schema";
import { defineTool } from "./define.ts";
import { absolute, onFile } from "./files.ts";
import { head, MAX_BYTES, MAX_LINES } from "./limits.ts";
import { ToolError, textResult } from "./tool.ts";

/** Reads a text file, or a range of its lines. */
export const readTool = defineTool({
  name: "read",
  label: "Read",
  description: `Reads a text file. At most ${MAX_LINES} lines or ${MAX_BYTES / 1024} KB at a time; go on with offset.`,
  parameters: obj({
    path: str({ minLength: 1, description: "Path, relative to the working directory or absolute." }),
    offset: opt(int({ minimum: 1, description: "First line, from 1." })),
    limit: opt(int({ minimum: 1, description: "Number of lines." })),
  }),
  async run({ path, offset = 1, limit }, call) {
    const text = await onFile(path, call.capabilities.fs.readFile(absolute(path, call)));
    if (text.includes("\0")) throw new ToolError("binary", `${path}: not a text file`);
    const lines = text.split("\n");
    if (offset > lines.length)
      throw new ToolError(
        "out_of_range",
        `${path}: has ${lines.length} lines; offset ${offset} is past its end`,
      );
    const asked = lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
    const shown = head(asked);
    const next = offset + shown.lines.length;
    const note = shown.cut ? `\n\n[Cut here. Go on with offset ${next} of ${lines.length} lines.]` : "";
    return textResult(shown.lines.join("\n") + note);
  },
});
