import { int, obj, opt, str } from "@earendil-works/pi-schema";
import { defineTool } from "./define.ts";
import { absolute, onFile } from "./files.ts";
import { head } from "./limits.ts";
import { textResult, ToolError } from "./tool.ts";
import { filesUnder, globExpression } from "./walk.ts";

const DEFAULT_LIMIT = 1_000;

/** Finds files by their names. */
export const findTool = defineTool({
  name: "find",
  label: "Find",
  description:
    "Finds files by a pattern such as *.ts or src/**/*.json. Does not look into .git and node_modules.",
  parameters: obj({
    pattern: str({ minLength: 1, description: "Pattern of the path; without a / it is that of the name." }),
    path: opt(str({ description: "Folder to look in; the working directory unless given." })),
    limit: opt(int({ minimum: 1, description: `Files at most; ${DEFAULT_LIMIT} unless given.` })),
  }),
  async run({ pattern, path = ".", limit = DEFAULT_LIMIT }, call) {
    const { fs } = call.capabilities;
    const root = absolute(path, call);
    if ((await onFile(path, fs.stat(root))) === undefined)
      throw new ToolError("ENOENT", `${path}: no such folder`);
    const expression = globExpression(pattern);
    const found: string[] = [];
    let cut = false;
    for await (const { shown } of filesUnder(fs, root, call.signal)) {
      if (!expression.test(shown)) continue;
      cut = found.length === limit;
      if (cut) break;
      found.push(shown);
    }
    if (found.length === 0) return textResult("No file fits.");
    const shown = head(found);
    const note = cut || shown.cut ? "\n[There are more. Narrow the pattern.]" : "";
    return textResult(shown.lines.join("\n") + note);
  },
});
