import type { z } from "zod";
import { type JsonValue, limits } from "../run/run.ts";
import { ApiError, type Problem } from "./errors.ts";
import { type RunBody, runSchema, type SpanBody } from "./schema.ts";

/** More would not help whoever reads them. */
const MAX_PROBLEMS = 20;

/**
 * Checks the body of `POST /v1/runs`.
 * @throws {ApiError} `validation_failed` with the fields that are wrong, or `payload_too_large` for too many spans.
 */
export const validateRun = (body: JsonValue): RunBody => {
  const parsed = runSchema.safeParse(body);
  if (!parsed.success) {
    const tooMany = parsed.error.issues.find(
      (issue) => issue.code === "too_big" && issue.path.join() === "spans",
    );
    if (tooMany !== undefined) {
      throw new ApiError("payload_too_large", `A request takes at most ${limits.spansPerRequest} spans.`);
    }
    throw invalid(parsed.error.issues.map(problemOf));
  }
  const run = parsed.data;
  if (run.mode === "open") {
    throw invalid([{ field: "mode", problem: "this server takes whole runs only: use batch" }]);
  }
  if (run.spans === undefined) throw invalid([{ field: "spans", problem: "needed in a batch" }]);
  const problems = checkTree(run.spans);
  if (problems.length > 0) throw invalid(problems);
  return run;
};

export const invalid = (details: readonly Problem[]): ApiError =>
  new ApiError("validation_failed", "The run is not as it should be; nothing was stored.", {
    details: details.slice(0, MAX_PROBLEMS),
  });

/** Only names of our own fields and numbers get into a path, so that an answer repeats nothing that was sent. */
const problemOf = (issue: z.core.$ZodIssue): Problem => {
  const field = issue.path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("");
  const problem = issue.code === "unrecognized_keys" ? "has a field that is not known" : issue.message;
  return { field: field.replace(/^\./, ""), problem };
};

/** Parents exist, nothing is its own ancestor, and no span lies too deep. */
const checkTree = (spans: readonly SpanBody[]): Problem[] => {
  const parents = new Map(spans.map((span) => [span.span_id, span.parent_span_id]));
  const seen = new Set<string>();
  return spans.flatMap(({ span_id, parent_span_id }, index): Problem[] => {
    if (seen.has(span_id)) return [{ field: `spans[${index}].span_id`, problem: "used twice" }];
    seen.add(span_id);
    const field = `spans[${index}].parent_span_id`;
    if (parent_span_id !== undefined && !parents.has(parent_span_id)) {
      return [{ field, problem: "names no span of this run" }];
    }
    let depth = 0;
    for (let at = parent_span_id; at !== undefined; at = parents.get(at)) {
      depth += 1;
      // A cycle has no end either: it is found by its depth.
      if (depth >= limits.spanDepth) {
        return [{ field, problem: `in a cycle, or more than ${limits.spanDepth} levels deep` }];
      }
    }
    return [];
  });
};
