/** Most throw-away runs at one time. */
const MOST = 50;

/** Names under which runs of `harness run` are kept: `scratch`, and `scratch-2` and so on for those at the same time. */
export function* scratchNames(): Generator<string> {
  yield "scratch";
  for (let number = 2; number <= MOST; number += 1) yield `scratch-${number}`;
}

/** No definition may take such a name. */
export const isScratchName = (name: string): boolean => /^scratch(?:-\d+)?$/.test(name);
