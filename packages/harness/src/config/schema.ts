import { z } from "zod";
import { restartPolicies } from "./definition.ts";
import { ScheduleError } from "../cron/error.ts";
import { parseSchedule } from "../cron/schedule.ts";
import { parseDuration } from "./duration.ts";

/** Longest time-out: beyond it a timer of the platform would fire at once. */
const maxTimeoutMs = 24 * 86_400_000;

const text = z.string({ error: "must be a string" });
const word = text.regex(/^\S+$/, { error: "must be one word" });
const filled = text.refine((value) => value.trim() !== "", { error: "must not be empty" });
const flag = z.boolean({ error: "must be true or false" });
const texts = z.array(text, { error: "must be a list of strings" });
const count = (minimum: number): z.ZodInt =>
  z.int({ error: "must be a whole number" }).min(minimum, { error: `must be ${minimum} or more` });

const duration = text.transform((value, context) => {
  const ms = parseDuration(value);
  if (ms === undefined) {
    context.addIssue('must be a duration such as "90s", "30m" or "1h30m", or "0" for none');
  } else if (ms > maxTimeoutMs) {
    context.addIssue('must be at most "24d"');
  }
  return ms ?? 0;
});

/** A number of seconds; a timer can wait for at most {@link maxTimeoutMs}. */
const seconds = z
  .number({ error: "must be a number of seconds" })
  .min(0, { error: "must be 0 or more" })
  .max(86_400, { error: "must be at most 86400, a day" });

/** A variable's name, or the beginning of names: `LC_*`. */
const variable = text.regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, {
  error: "must be a variable's name, or the beginning of names such as LC_*",
});

const schedule = filled.check((context) => {
  try {
    parseSchedule(context.value, parseDuration);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    context.issues.push({ code: "custom", input: context.value, message: error.message });
  }
});

/** One `[harness.<name>]` as written; what depends on the kind is checked after it. */
export const harnessTable = z.strictObject({
  // Looked at before the schema, so that the refusal comes whatever else is wrong.
  harness: z.unknown().optional(),
  prompt: filled.optional(),
  prompt_file: filled.optional(),
  args: texts.optional(),
  argv: z
    .array(filled, { error: "must be a list of words" })
    .min(1, { error: "must not be empty" })
    .optional(),
  transcripts: z.unknown().optional(),
  workdir: filled.optional(),
  env_file: z
    .union([filled, z.array(filled).min(1)], { error: "must be a path or a list of paths" })
    .optional(),
  description: text.optional(),
  model: word.optional(),
  auto_accept: flag.optional(),
  max_turns: count(0).optional(),
  timeout: duration.optional(),
  on_overlap: z
    .enum(["skip", "queue", "replace"], { error: 'must be "skip", "queue" or "replace"' })
    .optional(),
  keep_runs: count(1).optional(),
  record_trace: flag.optional(),
  enabled: flag.optional(),
  restart: z
    .enum(restartPolicies, { error: `must be ${restartPolicies.map((policy) => `"${policy}"`).join(", ")}` })
    .optional(),
  restart_delay: seconds.optional(),
  inherit_env: z.array(variable, { error: "must be a list of variable names" }).optional(),
  schedule: schedule.optional(),
  catch_up: flag.optional(),
  triggers: texts.optional(),
  max_windows: count(0).max(1000, { error: "must be at most 1000" }).optional(),
});

export type HarnessTable = z.infer<typeof harnessTable>;

export const traceTable = z.strictObject({
  max_stream_mb: count(1).max(1_048_576, { error: "must be at most 1048576" }).optional(),
});

export const redactTable = z.strictObject({
  rules: z.array(filled, { error: "must be a list of paths" }).optional(),
});

export const daemonTable = z.strictObject({
  watch_config: flag.optional(),
});

/** Keys of the document's top. */
export const topKeys = ["daemon", "harness", "redact", "server", "trace", "webhook"] as const;
