export { classifyCall } from "./call.ts";
export type { CallClass, CallContext, ToolTable } from "./call.ts";
export { classifyError } from "./error.ts";
export type { ErrorVerdict } from "./error.ts";
export { resetTime } from "./reset.ts";
