import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { captureTests } from "../testing/suite.ts";
import { plainOptions } from "../testing/reading.ts";
import { codex } from "./index.ts";

captureTests(codex, import.meta.dirname, "order", (path) => ({
  ...plainOptions(join("/home/dev/.codex/sessions/2026/11/30", path.slice(path.lastIndexOf("/") + 1))),
  sibling: (name) => {
    const beside = join(dirname(path), name.slice(name.lastIndexOf("/") + 1));
    return existsSync(beside) ? readFileSync(beside, "utf8") : undefined;
  },
}));
