import assert from "node:assert/strict";
import { test } from "node:test";
import { locateCrush } from "./locate.ts";

const projects = JSON.stringify({
  projects: [
    { path: "/home/dev/shop", data_dir: ".crush", last_accessed: "2026-01-01T00:00:00Z" },
    { path: "/home/dev/site", data_dir: "/var/crush/site" },
    { path: "/home/dev/shop", data_dir: "/home/dev/shop/.crush" },
    { path: 7 },
    "nonsense",
  ],
});

test("Crush's databases are found in this project and in every project that it lists, each once", () => {
  const reads: string[] = [];
  const read = (path: string): string => {
    reads.push(path);
    // What another writer left behind its list.
    return `${projects}]}`;
  };
  const found = locateCrush({ home: "/home/dev", env: {}, cwd: "/home/dev/here", read });
  assert.deepEqual(found, [
    "/home/dev/here/.crush/crush.db",
    "/home/dev/shop/.crush/crush.db",
    "/var/crush/site/crush.db",
  ]);
  assert.deepEqual(reads, ["/home/dev/.local/share/crush/projects.json"]);
  locateCrush({ home: "/h", env: { XDG_DATA_HOME: "/data" }, read });
  locateCrush({ home: "/h", env: { CRUSH_GLOBAL_DATA: "/global", XDG_DATA_HOME: "/data" }, read });
  assert.deepEqual(reads.slice(1), ["/data/crush/projects.json", "/global/projects.json"]);
});

test("without a list, or with a broken one, the project's own database is left", () => {
  for (const text of [undefined, "", "{", "[]", '{"projects":{}}', "null"])
    assert.deepEqual(locateCrush({ home: "/h", env: {}, cwd: "/p", read: () => text }), [
      "/p/.crush/crush.db",
    ]);
});
