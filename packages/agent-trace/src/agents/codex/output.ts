import { array, at, boolean, number, object, objects, parseJson, string } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue } from "../../reader.ts";

/** What a call's output says of how it went. Codex has no error flag: the exit code stands in the text. */
export interface CallOutput {
  /** The whole text that went back to the model. */
  text: string;
  exitCode?: number;
  timedOut?: boolean;
  failed?: boolean;
  denied?: boolean;
  interrupted?: boolean;
}

/** Most lines that come before the output proper (`Chunk ID: …`, `Wall time: …`, `Process exited with code N`). */
const headLines = 8;

/** The lines above the output proper, which ends with a label alone on its line (`Output:`). */
const headOf = (text: string): string[] => {
  const head: string[] = [];
  for (const line of text.split("\n", headLines)) {
    if (/^[\p{L} ]{1,40}:\s*$/u.test(line) || !/^(?:[\p{L} ]{1,40}: |Process )/u.test(line)) break;
    head.push(line);
  }
  return head;
};

const exitCodeOf = (text: string): number | undefined => {
  for (const line of headOf(text)) {
    const parts = /^(?:Exit code: |Process exited with code )(-?\d+)\s*$/.exec(line);
    if (parts !== null) return Number(parts[1]);
  }
  return undefined;
};

const textOf = (output: JsonValue | undefined): string => {
  if (typeof output === "string") return output;
  const parts = array(output) ?? array(at(output, "content")) ?? [];
  const texts = objects(parts).flatMap((part) => string(part["text"]) ?? []);
  return texts.length > 0 ? texts.join("\n") : (string(at(output, "content")) ?? "");
};

/** Reads the `output` of a `*_output` record: a text, a JSON envelope in a text, a list of parts, or `{content, success}`. */
export const callOutput = (output: JsonValue | undefined): CallOutput => {
  const text = textOf(output);
  const envelope = text.startsWith("{") ? object(parseJson(text)) : undefined;
  const exitCode =
    number(at(envelope, "metadata", "exit_code")) ?? number(envelope?.["exit_code"]) ?? exitCodeOf(text);
  const opening = text.slice(0, 300);
  const flag = (value: boolean): true | undefined => value || undefined;
  return present({
    text,
    exitCode,
    timedOut: flag(
      boolean(envelope?.["timed_out"]) === true || /^command timed out after \d+/i.test(opening),
    ),
    failed: flag(
      boolean(at(output, "success")) === false ||
        /^(?:apply_patch verification failed|script failed|unsupported call|failed to parse function arguments)/i.test(
          opening,
        ) ||
        /^(?:exec_command|write_stdin) failed/.test(opening),
    ),
    denied: flag(
      /rejected by user|rejected by the user|rejected: (?:blocked by policy|rejected)/i.test(opening),
    ),
    interrupted: flag(/^aborted by user/im.test(opening)),
  });
};

/** A `{secs, nanos}` duration in whole milliseconds. */
export const durationMs = (value: JsonValue | undefined): number | undefined => {
  const secs = number(at(value, "secs"));
  const nanos = number(at(value, "nanos"));
  return secs === undefined ? undefined : Math.round(secs * 1000 + (nanos ?? 0) / 1e6);
};

/** Arguments as the model wrote them: JSON in a text, at times encoded twice; what is no JSON stays a text. */
export const callInput = (input: JsonValue | undefined): JsonValue | undefined => {
  let value = input;
  for (let depth = 0; depth < 2 && typeof value === "string"; depth += 1)
    value = parseJson(value) ?? { input: value };
  return value;
};

/** The texts of a message's parts. */
export const contentTexts = (content: JsonValue | undefined): string =>
  objects(content)
    .flatMap((part) => string(part["text"]) ?? [])
    .join("\n");
