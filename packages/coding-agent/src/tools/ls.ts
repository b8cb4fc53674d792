import { join } from "node:path";
import { int, obj, opt, str } from "@earendil-works/pi-schema";
import { defineTool } from "./define.ts";
import { absolute, onFile } from "./files.ts";
import { textResult } from "./tool.ts";

const DEFAULT_LIMIT = 500;

/** Names what is in a folder. */
export const lsTool = defineTool({
  name: "ls",
  label: "List",
  description: `Names what is in a folder, folders with a / at the end. At most ${DEFAULT_LIMIT} names unless asked for more.`,
  parameters: obj({
    path: opt(str({ description: "Folder; the working directory unless given." })),
    limit: opt(int({ minimum: 1, description: "Names at most." })),
  }),
  async run({ path = ".", limit = DEFAULT_LIMIT }, call) {
    const { fs } = call.capabilities;
    const folder = absolute(path, call);
    const names = await onFile(path, fs.readdir(folder));
    const lines: string[] = [];
    for (const name of names.slice(0, limit))
      lines.push((await fs.stat(join(folder, name)))?.isDirectory === true ? `${name}/` : name);
    const more = names.length - lines.length;
    if (more > 0) lines.push(`[${more} more]`);
    return textResult(lines.length === 0 ? "(empty)" : lines.join("\n"));
  },
});
