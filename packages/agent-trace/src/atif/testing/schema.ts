import { Ajv } from "ajv";

/** ATIF 1.4 as its RFC's tables say: names, kinds, what is required, and nothing else allowed. */
const integer = { type: "integer", minimum: 0 };
const text = { type: "string" };
const open = { type: "object" };
const closed = (required: string[], properties: Record<string, object>): object => ({
  type: "object",
  required,
  properties,
  additionalProperties: false,
});

const metrics = closed([], {
  prompt_tokens: integer,
  completion_tokens: integer,
  cached_tokens: integer,
  cost_usd: { type: "number" },
  prompt_token_ids: { type: "array", items: integer },
  completion_token_ids: { type: "array", items: integer },
  logprobs: { type: "array", items: { type: "number" } },
  extra: open,
});
const reference = closed(["session_id"], { session_id: text, trajectory_path: text, extra: open });
const result = closed([], {
  source_call_id: text,
  content: text,
  subagent_trajectory_ref: { type: "array", items: reference },
});
const call = closed(["tool_call_id", "function_name", "arguments"], {
  tool_call_id: text,
  function_name: text,
  arguments: open,
});
const step = closed(["step_id", "source", "message"], {
  step_id: { type: "integer", minimum: 1 },
  timestamp: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT" },
  source: { enum: ["system", "user", "agent"] },
  model_name: text,
  reasoning_effort: { type: ["string", "number"] },
  message: text,
  reasoning_content: text,
  tool_calls: { type: "array", items: call },
  observation: closed(["results"], { results: { type: "array", items: result } }),
  metrics,
  extra: open,
});
const trajectory = closed(["schema_version", "session_id", "agent", "steps"], {
  schema_version: { const: "ATIF-v1.4" },
  session_id: text,
  agent: closed(["name", "version"], { name: text, version: text, model_name: text, extra: open }),
  steps: { type: "array", items: step },
  notes: text,
  final_metrics: closed([], {
    total_prompt_tokens: integer,
    total_completion_tokens: integer,
    total_cached_tokens: integer,
    total_cost_usd: { type: "number" },
    total_steps: integer,
    extra: open,
  }),
  extra: open,
});

const validate = new Ajv({ allErrors: true, strictTypes: false }).compile(trajectory);

/** What is wrong with a trajectory; an empty list when nothing is. */
export const atifErrors = (value: unknown): string[] =>
  validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
