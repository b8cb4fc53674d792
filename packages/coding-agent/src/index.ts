/** The public face of the package. */
export { type AgentSessionOptions, createAgentSession } from "./agent/create.ts";
export type { Instructions } from "./agent/prompt.ts";
export type { ToolInfo } from "./agent/tools.ts";
export type { SessionPlace } from "./agent/open-log.ts";
export type { AgentSession } from "./agent/session.ts";
export { type AgentSettings, DEFAULT_SETTINGS, type SettingsOverrides } from "./agent/settings.ts";
export { createFakeClock, type FakeClock } from "./capabilities/fake/clock.ts";
export { createFakeFileSystem, type FakeFile, type FakeFileSystem } from "./capabilities/fake/fs.ts";
export { createFakeCapabilities, createFakeCredentials } from "./capabilities/fake/index.ts";
export {
  createFakeProcesses,
  type FakeProcesses,
  type FakeProcessOptions,
  type FakeScript,
} from "./capabilities/fake/process.ts";
export { createFakeTerminalTransport, type FakeTerminal } from "./capabilities/fake/terminal.ts";
export { createDefaultCapabilities } from "./capabilities/node/index.ts";
export { createStdioTerminalTransport, type StdioStreams } from "./capabilities/node/terminal.ts";
export type * from "./capabilities/types.ts";
export type * from "./events.ts";
export type { LoadedExtension, NamedExtension } from "./extensions/load.ts";
export type { ExtensionEventName, ExtensionEvents, ExtensionHandler } from "./extensions/events.ts";
export type {
  CommandDefinition,
  FlagDefinition,
  Owned,
  RegisteredHandler,
  Registry,
  RegistryWriter,
  ShortcutDefinition,
} from "./extensions/registry.ts";
export type { ExtensionApi, ExtensionFactory } from "./extensions/runner.ts";
export type { Transactions } from "./extensions/transaction.ts";
export type * from "./message.ts";
export type { DecidedCall, PolicyDecision, ToolApprover, ToolPolicy } from "./pipeline/approve.ts";
export type { Stage } from "./pipeline/call.ts";
export { type ModelSelection, ModelUnavailableError } from "./provider/catalog.ts";
export { createScriptedProvider, type ScriptedProvider } from "./provider/scripted/provider.ts";
export {
  parseScript,
  ScriptError,
  type ScriptedModel,
  type ScriptedTurn,
  type ScriptFile,
} from "./provider/scripted/script.ts";
export type {
  ModelEvent,
  ModelInfo,
  ModelPrices,
  ModelProvider,
  ModelRequest,
  ModelTransport,
  ProviderConfig,
  ToolDeclaration,
} from "./provider/types.ts";
export { REDACTED } from "./record/redact.ts";
export * from "./record/types.ts";
export { createReplayRuntime, type ReplayOptions, type ReplayRuntime } from "./replay/runtime.ts";
export { replaySession, type ReplayReport, type ReplaySessionOptions } from "./replay/session.ts";
export type * from "./result.ts";
export type * from "./session/entry.ts";
export { NotASessionError } from "./session/parse.ts";
export { ToolError, type ToolContext, type ToolDefinition, type ToolResult } from "./tools/tool.ts";
export { VERSION } from "./version.ts";
