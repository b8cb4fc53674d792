/**
 * The script in a quoted command line such as `/bin/bash -lc 'echo hi'`, which the stream writes for every command; other
 * lines stay as they are.
 */
export const shellScript = (line: string): string => {
  const parts = /^(?:\S*\/)?(?:ba|z|da|k)?sh -[a-z]*c (.+)$/s.exec(line);
  return (parts === null ? undefined : unquoted(parts[1] ?? "")) ?? line;
};

/** The one word that the text quotes, or undefined when it is more than one word. */
const unquoted = (text: string): string | undefined => {
  const piece = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/gsy;
  let word = "";
  while (piece.lastIndex < text.length) {
    const found = piece.exec(text);
    if (found === null) return undefined;
    const [, single, double, escaped, bare] = found;
    word += single ?? double?.replaceAll(/\\([$`"\\])/g, "$1") ?? escaped ?? bare ?? "";
  }
  return word;
};
