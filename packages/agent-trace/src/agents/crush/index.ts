import { posix } from "node:path";
import type { Agent } from "../../agent.ts";
import { crushDatabaseReader, hasMillis, isCrushDatabase } from "./database.ts";
import { locateCrush } from "./locate.ts";

/** Crush: its database in the project. It prints only the text of its last answer, so there is no stream to read. */
export const crush: Agent = {
  name: "crush",
  transcript: {
    kind: "sqlite",
    locate: locateCrush,
    isSessionFile: (path) => posix.basename(path) === "crush.db",
    detect: (database) => isCrushDatabase(database) && !hasMillis(database),
    reader: (database, options) => crushDatabaseReader("crush", database, options),
  },
  settles: {
    session: "transcript",
    tool_call: "transcript",
    mark: "transcript",
    usage: "transcript",
    result: "transcript",
  },
  // There is no second source.
  sharedKeys: [],
  // Rows of a database do not come in as masked lines; the reader leaves their ids as they are.
  idPaths: [],
};
