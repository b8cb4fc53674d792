import { type CoercingValidator, compile, type ValidationError } from "@earendil-works/pi-schema";
import { formats } from "@earendil-works/pi-schema/formats";
import { isObject } from "../json.ts";
import type { JsonObject, ToolCall } from "../message.ts";
import type { ToolDefinition } from "../tools/tool.ts";
import type { Stop } from "./call.ts";

/** One validator per schema object; tool schemas live as long as their tools. */
const validators = new WeakMap<object, CoercingValidator>();

const validatorOf = (schema: object): CoercingValidator => {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validator = compile(schema, { formats, coerce: true, unresolvedRefs: "reject" });
  validators.set(schema, validator);
  return validator;
};

const describe = ({ path, message }: ValidationError): string =>
  `${path === "" ? "arguments" : path.slice(1).replaceAll("/", ".")} ${message}`;

const invalid = (reason: string): Stop => ({ outcome: "invalid_arguments", reason, decider: "schema" });

/** Arguments as the tool's schema wants them: loosely typed values are coerced. The given object is not changed. */
export const checkArguments = (tool: ToolDefinition, args: JsonObject): { value: JsonObject } | Stop => {
  const result = validatorOf(tool.parameters).parse(args);
  if (!result.ok) return invalid(result.errors.map(describe).join("; "));
  // Coercion turns JSON into JSON, and a tool's arguments are an object.
  return isObject(result.value)
    ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      { value: result.value as JsonObject }
    : invalid("arguments must be an object");
};

/** Stage 2: the model's arguments against the tool's schema. */
export const validateCall = (tool: ToolDefinition, call: ToolCall): { value: JsonObject } | Stop =>
  call.argumentsError === undefined
    ? // A copy: what hooks change is not what the model said.
      checkArguments(tool, structuredClone(call.arguments))
    : invalid(call.argumentsError);
