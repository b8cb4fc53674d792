import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentNamed } from "../../packages/agent-trace/src/agents/registry.ts";
import type { AgentName } from "../../packages/agent-trace/src/item.ts";
import { createLineSplitter } from "../../packages/agent-trace/src/lines.ts";
import { readPath, transcriptOptions } from "../../packages/agent-trace/src/read/read-path.ts";
import { generate } from "./generate.ts";

const fileBytes = 24 * 1024 * 1024;
const rounds = 5;

/** What is measured on one file, by name. */
interface Ways {
  floor: () => void;
  [way: string]: () => void;
}

const floor = (path: string): void => {
  for (const line of readFileSync(path, "utf8").split("\n")) if (line !== "") JSON.parse(line);
};

const nowhere = { item: () => {} };

/** Reads lines as they are: what normalizing costs without the masking before it. */
const unmasked = (path: string, name: AgentName): void => {
  const agent = agentNamed(name);
  if (agent?.transcript?.kind !== "jsonl") throw new Error(`${name} has no lines`);
  const reader = agent.transcript.reader(transcriptOptions(agent, path, {}));
  const splitter = createLineSplitter({ skip: agent.transcript.skip ?? [] });
  const bytes = readFileSync(path);
  for (let at = 0; at < bytes.length; at += 262_144) {
    for (const line of splitter.push(bytes.subarray(at, at + 262_144)))
      if (!("dropped" in line)) reader.line(line.text, nowhere);
  }
  reader.finish(nowhere);
};

/** The shortest CPU time of each way, in milliseconds, all ways taking turns. */
const times = (ways: Ways): Record<string, number> => {
  const best: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const before = process.cpuUsage();
      way();
      const { user, system } = process.cpuUsage(before);
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, (user + system) / 1000);
    }
  }
  return best;
};

const report = (title: string, bytes: number, best: Record<string, number>): void => {
  const base = best["floor"] ?? 0;
  console.log(`${title}, ${(bytes / 1e6).toFixed(0)} MB`);
  for (const [name, ms] of Object.entries(best))
    console.log(
      `  ${name.padEnd(18)} ${(base / ms).toFixed(2).padStart(5)} of the floor  ${(bytes / 1e3 / ms).toFixed(0).padStart(5)} MB/s`,
    );
};

/** Prints how much of the floor's speed normalizing has. */
export const compareFloor = (folder: string): void => {
  for (const [title, agent, apiRequests] of [
    ["Claude Code", "claude-code", false],
    ["Claude Code with api-request lines", "claude-code", true],
    ["Codex", "codex", false],
  ] as const) {
    const path = join(folder, "3f6700f9-b812-40d3-8369-eaea590497fe.jsonl");
    const bytes = generate(path, agent, fileBytes, { apiRequests });
    const best = times({
      floor: () => floor(path),
      normalize: () => unmasked(path, agent),
      "mask + normalize": () => {
        readPath(path, nowhere, { agent });
      },
    });
    report(title, bytes, best);
  }
};
