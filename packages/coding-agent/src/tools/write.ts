import { dirname } from "node:path";
import { obj, str } from "@earendil-works/pi-schema";
import { defineTool } from "./define.ts";
import { absolute, onFile } from "./files.ts";
import { textResult } from "./tool.ts";

/** Writes a whole file. */
export const writeTool = defineTool({
  name: "write",
  label: "Write",
  description: "Writes a file, new or in place of what it held. Makes the folders it needs.",
  parameters: obj({
    path: str({ minLength: 1, description: "Path, relative to the working directory or absolute." }),
    content: str({ description: "The whole content." }),
  }),
  executionMode: "sequential",
  async run({ path, content }, call) {
    const file = absolute(path, call);
    const { fs } = call.capabilities;
    await onFile(path, fs.mkdir(dirname(file), { recursive: true }));
    await onFile(path, fs.writeFile(file, content, { mode: 0o644 }));
    return textResult(`${path}: ${Buffer.byteLength(content)} bytes written`);
  },
});
