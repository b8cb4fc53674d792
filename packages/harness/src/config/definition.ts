import type { RuleFile } from "@orphus/agent-trace/redact";
import type { CommandTranscripts } from "../kinds/command.ts";
import type { KindName } from "../kinds/kind.ts";
import type { SecretReference } from "./secret.ts";

/** A loaded, valid configuration. */
export interface Config {
  /** Absolute path of the file, or null when there was none (zero harnesses). */
  file: string | null;
  harnesses: ReadonlyMap<string, HarnessDefinition>;
  trace: TraceSettings;
  /** Rule files of the operator, which mask beside the built-in rules. */
  redactRules: readonly RuleFile[];
  /** Where the daemon listens for HTTP, when it has something to answer there. */
  server: ServerSettings;
  webhooks: ReadonlyMap<string, WebhookDefinition>;
  daemon: DaemonSettings;
}

export interface ServerSettings {
  /** A literal address. */
  host: string;
  /** 0: any that is free. */
  port: number;
}

/** One `[webhook.<name>]`: a place where events are delivered. Names of headers are in lower case. */
export interface WebhookDefinition {
  name: string;
  verify: "bearer" | "hmac-sha256" | "github" | "gitea" | "gitlab" | "standard-webhooks";
  secret: SecretReference;
  /** Only these events start a run; all when absent. */
  events?: string[];
  maxBodyBytes: number;
  /** Most deliveries in a stretch of time; absent = no limit. */
  rate?: { count: number; perMs: number };
  /** `hmac-sha256` only: where the signature stands, and what stands before it. */
  signatureHeader: string;
  signaturePrefix: string;
  /** Where the event's name and the delivery's id stand, when not where the sender usually has them. */
  eventHeader?: string;
  deliveryHeader?: string;
  enabled: boolean;
}

export interface DaemonSettings {
  /** The file is loaded again when it changes. */
  watchConfig: boolean;
}

export interface TraceSettings {
  /** A stream file beyond this is cut with a marker line. */
  maxStreamBytes: number;
}

/**
 * When an exit is answered with another start. `always` and `unless-stopped` differ only in name: a stop by the operator
 * ends both until the next start.
 */
export const restartPolicies = ["no", "always", "unless-stopped", "on-failure"] as const;
export type RestartPolicy = (typeof restartPolicies)[number];

/** One `[harness.<name>]` table with defaults filled in and paths made absolute. */
export interface HarnessDefinition {
  name: string;
  kind: KindName;
  /** The prompt of a one-shot, or the file it is read from at each spawn. */
  prompt?: { text: string } | { file: string };
  /** Appended to the program's own arguments; a resident's, or a one-shot's extra flags. */
  args: string[];
  /** `command` only. */
  argv: string[];
  /** `command` only: whose transcripts its run leaves. */
  transcripts?: CommandTranscripts;
  workdir: string;
  /** Read at each spawn, later files win. Their values are known secrets of the run. */
  envFiles: string[];
  description?: string;
  model?: string;
  autoAccept: boolean;
  /** 0 = unlimited. */
  maxTurns: number;
  /** Milliseconds; 0 = none. */
  timeoutMs: number;
  onOverlap: "skip" | "queue" | "replace";
  /** How many runs' files are kept. */
  keepRuns: number;
  recordTrace: boolean;
  /** Started with the daemon, unless the operator has stopped it since. */
  enabled: boolean;
  restart: RestartPolicy;
  /** Added to every wait before a restart. */
  restartDelayMs: number;
  /** Variables that a run takes over from the daemon's environment; absent = the usual few. `LC_*` means all that begin so. */
  inheritEnv?: string[];
  /** When it is due, as written and checked. */
  schedule?: string;
  /** One run makes up for due times that were missed. */
  catchUp: boolean;
  /** How many times in a row it is resumed when a usage limit has ended. */
  maxWindows: number;
  /** Names of the webhooks whose events start it. */
  webhooks: string[];
}

/** Whether a run of it ends by itself when its work is done; anything else is a resident, which is to stay. */
export const isOneShot = ({ prompt }: Pick<HarnessDefinition, "prompt">): boolean => prompt !== undefined;
