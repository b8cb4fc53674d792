import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { omp } from "./omp.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import type { RealAgent } from "./real-agent.ts";

/** Every agent that is put through the scenarios; each has a `<name>.live.ts`. */
export const realAgents: readonly RealAgent[] = [claudeCode, codex, opencode, pi, omp];
