import type { Mask } from "../base/mask.ts";
import type { HarnessRow } from "../protocol/methods.ts";

/** What a row of a harness says of its definition. The words and paths of a configuration may hold secrets, too. */
export const definitionColumns = (
  { name, kind, description, workdir }: Pick<HarnessRow, "name" | "kind" | "description" | "workdir">,
  mask: Mask,
): Pick<HarnessRow, "name" | "kind" | "description" | "workdir"> => ({
  name,
  kind,
  ...(description !== undefined && { description: mask(description) }),
  workdir: mask(workdir),
});
