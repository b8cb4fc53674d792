import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { serveCommand } from "./serve.ts";

/** The `cairn` program. */
export const program = (): Command =>
  new Command("cairn")
    .description("Shows an agent's run to someone.")
    .version(version())
    .exitOverride()
    .addCommand(serveCommand().exitOverride());

const version = (): string => {
  const file = join(import.meta.dirname, "..", "..", "package.json");
  const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
  const known = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return known ? String(manifest.version) : "unknown";
};
