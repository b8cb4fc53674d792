/** The longest single argument that Linux passes to a program (MAX_ARG_STRLEN), without its terminating byte. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

/** Why a text cannot be passed to a program as one argument, in words with size and limit; undefined when it can. */
export const argumentProblem = (text: string): string | undefined => {
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_ARGUMENT_BYTES
    ? `is ${bytes} bytes; the system passes at most ${MAX_ARGUMENT_BYTES} in one argument`
    : undefined;
};
