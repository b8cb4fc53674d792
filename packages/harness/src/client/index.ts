export { connect, type Client, type ConnectOptions } from "./connect.ts";
export { attach, type Attachment, type AttachOptions } from "./attach.ts";
export { DaemonError } from "./error.ts";
export type * from "../protocol/methods.ts";
export { PROTOCOL_VERSION } from "../protocol/methods.ts";
