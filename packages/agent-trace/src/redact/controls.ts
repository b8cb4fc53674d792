/** Stands where a secret stood. The same everywhere, so that it can be searched for. */
export const MASK = "[REDACTED]";

// An operating system command or a string sequence up to its end, a control sequence, any other escape of two bytes.
const ESCAPES =
  // oxlint-disable-next-line no-control-regex
  /[\u001b\u009b](?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|\[?[0-?]*[ -/]*[@-~])/g;
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The text without terminal escape sequences and control characters; tab and line feed stay. */
export function stripControls(text: string): string {
  return text.replace(ESCAPES, "").replace(CONTROLS, "");
}
