import type { Touch } from "../item.ts";

/** The files a patch text in the `*** Begin Patch` form names. */
export const patchTouches = (patch: string): { path: string; touch: Touch }[] => {
  const touches: { path: string; touch: Touch }[] = [];
  for (const [, path] of patch.matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm)) {
    if (path !== undefined) touches.push({ path: path.trim(), touch: "edit" });
  }
  return touches;
};
