import { runCli } from "../cli/run.ts";
import {
  createFakeCapabilities,
  createFakeFileSystem,
  createFakeProcesses,
  createFakeTerminalTransport,
} from "../index.ts";

export const HOME = "/home/dev";
export const PROJECT = "/home/dev/shop";
export const AGENT = "/home/dev/.orphus/agent";

/** The program on a user's desk that exists in memory: files by absolute path, modules that can be loaded. */
export const createDesk = (
  files: Readonly<Record<string, unknown>> = {},
  { modules = {}, env = {} }: { modules?: Record<string, unknown>; env?: Record<string, string> } = {},
) => {
  const texts = Object.entries(files).map(([path, content]) => [
    path,
    typeof content === "string" ? content : JSON.stringify(content),
  ]);
  const seed = Object.fromEntries([...texts, ...Object.keys(modules).map((path) => [path, "// code"])]);
  const terminal = createFakeTerminalTransport();
  const capabilities = createFakeCapabilities({
    terminal,
    fs: createFakeFileSystem(seed),
    process: createFakeProcesses({
      cwd: PROJECT,
      env: { HOME, ...env },
      // As Node gives a module: its exports, the default one by that name.
      modules: Object.fromEntries(
        Object.entries(modules).map(([path, exported]) => [path, { default: exported }]),
      ),
    }),
  });
  return {
    capabilities,
    terminal,
    async run(...args: string[]) {
      terminal.writes.length = 0;
      terminal.errors.length = 0;
      const code = await runCli(args, capabilities);
      return { code, stdout: terminal.output(), stderr: terminal.errors.join("") };
    },
  };
};
