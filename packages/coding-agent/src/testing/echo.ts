import type { ToolDefinition } from "../tools/tool.ts";

/** A tool that gives back what it is told, and remembers it. */
export const createEchoTool = (): ToolDefinition & { ran: unknown[] } => {
  const ran: unknown[] = [];
  return {
    ran,
    name: "echo",
    label: "Echo",
    description: "Says what it is told.",
    parameters: {
      type: "object",
      properties: { message: { type: "string" }, count: { type: "number" }, token: { type: "string" } },
      required: ["message"],
    },
    execute(_id, params) {
      ran.push(params);
      return { content: [{ type: "text", text: JSON.stringify(params["message"]) }] };
    },
  };
};
