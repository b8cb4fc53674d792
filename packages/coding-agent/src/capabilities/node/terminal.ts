import { StringDecoder } from "node:string_decoder";
import type { TerminalTransportCapability } from "../types.ts";

/** The size that is assumed where there is no terminal to ask. */
const FALLBACK = { columns: 80, rows: 24 };

/** Where the text goes and comes from; the process's own streams unless a test says otherwise. */
export interface StdioStreams {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  error: NodeJS.WriteStream;
}

/** Streams that are looked after already; the process has only one of each. */
const outlived = new WeakSet<NodeJS.WriteStream>();

/** Whoever read our output is gone; the work goes on and stands in the session file. */
const outliveReader = (stream: NodeJS.WriteStream): void => {
  if (outlived.has(stream)) return;
  outlived.add(stream);
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
};

/** Standard input, output and error of the process. */
export const createStdioTerminalTransport = (
  streams: StdioStreams = { input: process.stdin, output: process.stdout, error: process.stderr },
): TerminalTransportCapability => {
  const { input, output, error } = streams;
  outliveReader(output);
  outliveReader(error);
  return {
    kind: "stdio",
    isTTY: output.isTTY,
    inputIsTTY: input.isTTY,
    columns: () => output.columns ?? FALLBACK.columns,
    rows: () => output.rows ?? FALLBACK.rows,
    write(data) {
      output.write(data);
    },
    writeError(data) {
      error.write(data);
    },
    setRawMode(enabled) {
      if (input.isTTY) input.setRawMode(enabled);
    },
    onData(listener) {
      const decoder = new StringDecoder("utf8");
      const take = (chunk: Buffer): void => {
        const text = decoder.write(chunk);
        if (text !== "") listener(text);
      };
      input.on("data", take);
      return () => {
        input.off("data", take);
        input.pause();
      };
    },
    onEnd(listener) {
      // A closed descriptor fails instead of ending.
      const over = (): void => listener();
      for (const event of ["end", "error"]) input.once(event, over);
      return () => {
        for (const event of ["end", "error"]) input.off(event, over);
      };
    },
    onResize(listener) {
      output.on("resize", listener);
      return () => output.off("resize", listener);
    },
  };
};
