/** The `key: value` lines between two lines of three dashes at the beginning of a Markdown file, and the rest of it. */
export const readFrontmatter = (text: string): { fields: Record<string, string>; body: string } => {
  const match = /^---\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/u.exec(text);
  if (match === null) return { fields: {}, body: text };
  const fields: Record<string, string> = {};
  for (const line of (match[1] ?? "").split(/\r?\n/u)) {
    const [, key = "", value = ""] = /^([\w-]+):\s*(.*)$/u.exec(line) ?? [];
    if (key !== "") fields[key] = value.trim().replace(/^(["'])(.*)\1$/u, "$2");
  }
  return { fields, body: text.slice(match[0].length) };
};
