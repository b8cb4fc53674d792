import { main } from "./cli/main.ts";

process.exitCode = await main({
  startDaemon: async (options) => (await import("./daemon/run.ts")).runDaemon(options),
  rescan: async (options, check) =>
    (await import("./daemon/rescan-offline.ts")).rescanOffline(options, check),
});
