import type { Output } from "./context.ts";

/** Select graphic rendition codes: what turns a role on, and off again. */
const roles = {
  bold: [1, 22],
  faint: [2, 22],
  good: [32, 39],
  bad: [31, 39],
  warn: [33, 39],
  busy: [36, 39],
} as const;

export type Role = keyof typeof roles;

/** Text in a role, where the output takes colour. Meaning never rests on colour alone. */
export const styled = (output: Output, role: Role | undefined, text: string): string => {
  if (role === undefined || !output.color || text === "") return text;
  const [on, off] = roles[role];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};
