import type { LineRedactor, Redactor } from "@orphus/agent-trace/redact";
import type { MessageUpdateEvent } from "../events.ts";

/** A block that is being written. */
interface Block {
  last: MessageUpdateEvent;
  /** What came since the last line end. */
  held: string;
  lines: LineRedactor;
}

const isUpdate = (value: object): value is MessageUpdateEvent =>
  "type" in value && value.type === "message_update";

/**
 * Masks a message while it is being written. A model's pieces cut secrets, and what tells one, in two: so a piece is held
 * back until its line is whole, and what is left goes out before anything else is told. Other events pass as they are.
 */
export const createDeltaMask = (redactor: Redactor): ((value: object) => object[]) => {
  const blocks = new Map<number, Block>();

  const flush = (): object[] => {
    const rest = [...blocks.values()].filter(({ held }) => held !== "");
    blocks.clear();
    return rest.map(({ last, held, lines }) => ({ ...last, delta: lines.json(held) }));
  };

  return (value) => {
    if (!isUpdate(value)) return [...flush(), value];
    const block = blocks.get(value.contentIndex) ?? { last: value, held: "", lines: redactor.lines() };
    blocks.set(value.contentIndex, block);
    block.last = value;
    const whole = (block.held + value.delta).split("\n");
    block.held = whole.pop() ?? "";
    if (whole.length === 0) return [];
    return [{ ...value, delta: whole.map((line) => `${block.lines.json(line)}\n`).join("") }];
  };
};
