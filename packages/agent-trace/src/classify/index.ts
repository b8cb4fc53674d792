export { classifyCall } from "./call.ts";
export type { CallClass, CallContext, ToolKind, ToolTable } from "./call.ts";
export { classifyError } from "./error.ts";
export type { ErrorHints, ErrorVerdict } from "./error.ts";
