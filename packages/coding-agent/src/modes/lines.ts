import type { HarnessCapabilities } from "../capabilities/types.ts";
import { openRedactor } from "../record/mask.ts";
import { createDeltaMask } from "./deltas.ts";

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

export type LineWriter = (value: object) => void;

/** Writes values as masked JSON lines to the output. */
export const createLineWriter = async (capabilities: HarnessCapabilities): Promise<LineWriter> => {
  const { terminal } = capabilities;
  const redactor = await openRedactor(capabilities, ID_PATHS);
  const deltas = createDeltaMask(redactor);
  return (value) => {
    for (const each of deltas(value)) terminal.write(`${redactor.jsonLine(JSON.stringify(each))}\n`);
  };
};
