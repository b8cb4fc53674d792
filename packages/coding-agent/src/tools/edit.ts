import { arr, obj, str } from "@earendil-works/pi-schema";
import { defineTool } from "./define.ts";
import { absolute, onFile } from "./files.ts";
import { ToolError, textResult } from "./tool.ts";

interface Replacement {
  start: number;
  end: number;
  newText: string;
}

const locate = (path: string, content: string, oldText: string): { start: number; end: number } => {
  const start = content.indexOf(oldText);
  if (start === -1)
    throw new ToolError("no_match", `${path}: this text is not in the file; read it again:\n${oldText}`);
  if (content.indexOf(oldText, start + 1) !== -1)
    throw new ToolError(
      "not_unique",
      `${path}: this text is in the file more than once; give more of it:\n${oldText}`,
    );
  return { start, end: start + oldText.length };
};

const apply = (path: string, content: string, replacements: Replacement[]): string => {
  let result = "";
  let at = 0;
  for (const { start, end, newText } of replacements.sort((a, b) => a.start - b.start)) {
    if (start < at) throw new ToolError("overlap", `${path}: two edits change the same text; make them one`);
    result += content.slice(at, start) + newText;
    at = end;
  }
  return result + content.slice(at);
};

/** Replaces pieces of a file; each is found in the file as it was before the call. */
export const editTool = defineTool({
  name: "edit",
  label: "Edit",
  description:
    "Replaces text in a file. Each oldText must be in the file exactly once; edits must not overlap.",
  parameters: obj({
    path: str({ minLength: 1, description: "Path, relative to the working directory or absolute." }),
    edits: arr(
      obj({
        oldText: str({ minLength: 1, description: "Text as it stands in the file, exactly." }),
        newText: str({ description: "Text in its place." }),
      }),
      { minItems: 1 },
    ),
  }),
  executionMode: "sequential",
  async run({ path, edits }, call) {
    const file = absolute(path, call);
    const content = await onFile(path, call.capabilities.fs.readFile(file));
    const replacements = edits.map(({ oldText, newText }) => ({
      ...locate(path, content, oldText),
      newText,
    }));
    await onFile(path, call.capabilities.fs.writeFile(file, apply(path, content, replacements)));
    return textResult(`${path}: ${edits.length} ${edits.length === 1 ? "replacement" : "replacements"}`);
  },
});
