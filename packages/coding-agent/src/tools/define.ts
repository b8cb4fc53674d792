import type { Schema } from "@earendil-works/pi-schema";
import type { ToolContext, ToolDefinition, ToolResult } from "./tool.ts";

/** A tool whose parameters are typed by its schema. */
export const defineTool = <Params>(tool: {
  name: string;
  label: string;
  description: string;
  parameters: Schema<Params>;
  executionMode?: "parallel" | "sequential";
  run(params: Params, call: RunningCall): Promise<ToolResult>;
}): ToolDefinition => {
  const { name, label, description, parameters, executionMode = "parallel" } = tool;
  return {
    name,
    label,
    description,
    parameters,
    executionMode,
    execute: (_id, params, signal, onUpdate, context) =>
      // The pipeline has validated the arguments against exactly this schema.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      tool.run(params as unknown as Params, { ...context, signal, onUpdate }),
  };
};

export interface RunningCall extends ToolContext {
  signal: AbortSignal;
  onUpdate(delta: string): void;
}
