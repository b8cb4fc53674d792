import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { crush } from "./crush.ts";
import type { Kind, KindName } from "./kind.ts";
import { omp } from "./omp.ts";
import { opencode } from "./opencode.ts";
import { orphus } from "./orphus.ts";
import { pi } from "./pi.ts";

/** Every agent that can be supervised, in the order in which messages list them. */
export const agentKinds: readonly Kind[] = [claudeCode, codex, crush, opencode, pi, omp, orphus];

/** The kind of a definition; undefined for `command`, which is started by its own argv. */
export const kindNamed = (name: KindName): Kind | undefined => agentKinds.find((kind) => kind.name === name);

/** The kind that a word on the command line means: its name or an alias. */
export const kindCalled = (word: string): Kind | undefined =>
  agentKinds.find((kind) => kind.name === word || kind.aliases.includes(word));

export const isKindName = (value: unknown): value is KindName =>
  value === "command" || agentKinds.some((kind) => kind.name === value);
