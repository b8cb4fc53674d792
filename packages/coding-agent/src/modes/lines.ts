import { createRedactor } from "@orphus/agent-trace/redact";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import { secretValues } from "../record/secrets.ts";

/** Where lines hold ids: masked ones could not be joined any more. */
const ID_PATHS = [
  "id",
  "parentSession",
  "entryId",
  "toolCallId",
  "request.id",
  "request.sha256",
  "message.toolCallId",
  "message.responseId",
  "message.content.*.id",
];

/** Writes values as masked JSON lines to the output. */
export const createLineWriter = ({ terminal, process }: HarnessCapabilities): ((value: object) => void) => {
  const redactor = createRedactor({ values: secretValues(process.env), idPaths: ID_PATHS });
  return (value) => terminal.write(`${redactor.jsonLine(JSON.stringify(value))}\n`);
};
