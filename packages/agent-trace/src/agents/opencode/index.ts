import { posix } from "node:path";
import type { Agent } from "../../agent.ts";
import { crushDatabaseReader, hasMillis, isCrushDatabase } from "../crush/database.ts";
import { isOpencodeDatabase, opencodeDatabaseReader } from "./database.ts";
import { isExport, readExport } from "./export.ts";
import { isRunLine, runReader } from "./stream.ts";

/** opencode: `run --format json`, its database, and what `export` writes. The first opencode kept Crush's tables. */
export const opencode: Agent = {
  name: "opencode",
  stream: { format: "opencode-json", detect: isRunLine, reader: runReader },
  transcript: {
    kind: "sqlite",
    locate: ({ home, env, cwd }) => [
      posix.join(env["XDG_DATA_HOME"] ?? posix.join(home, ".local", "share"), "opencode", "opencode.db"),
      ...(cwd === undefined ? [] : [posix.join(cwd, ".opencode", "opencode.db")]),
    ],
    isSessionFile: (path) => posix.basename(path) === "opencode.db",
    detect: (database) => isOpencodeDatabase(database) || (isCrushDatabase(database) && hasMillis(database)),
    reader: (database, options) =>
      isOpencodeDatabase(database)
        ? opencodeDatabaseReader(database, options)
        : crushDatabaseReader("opencode", database, options),
  },
  document: {
    kind: "document",
    locate: () => [],
    isSessionFile: (path) => path.endsWith(".json"),
    detect: isExport,
    read: readExport,
  },
  // The database has all that the stream has, by the same ids, and what it lacks: prompts, models, retries, children,
  // and the call that was running when the process died.
  settles: {
    session: "transcript",
    tool_call: "transcript",
    mark: "transcript",
    usage: "transcript",
    result: "transcript",
  },
  sharedKeys: ["tool_call", "usage", "session"],
  idPaths: [
    "sessionID",
    "part.id",
    "part.messageID",
    "part.sessionID",
    "part.callID",
    "part.state.metadata.sessionId",
    "part.state.metadata.parentSessionId",
  ],
};
