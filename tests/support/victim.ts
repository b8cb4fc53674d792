import { createSandbox } from "./sandbox.ts";

/** A test's process that is killed in the middle: starts a daemon and a resident, and says their state folder. */
const sandbox = createSandbox({ after: () => undefined });
sandbox.agent("claude", { script: "#!/bin/sh\nexec sleep 600\n" });
sandbox.config('[harness.a]\nharness = "claude-code"\nenabled = true\n');
await sandbox.startDaemon();
process.stdout.write(`${sandbox.state}\n`);
setInterval(() => undefined, 1000);
