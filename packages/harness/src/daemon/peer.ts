import { createConnection } from "node:net";
import { lineCutter, REQUEST_LIMIT } from "../protocol/lines.ts";
import { encode, isFields, parseResponse } from "../protocol/messages.ts";
import { PROTOCOL_VERSION } from "../protocol/methods.ts";

/** Somebody who listens on a socket. */
export interface Peer {
  /** As far as it says so in time. */
  pid: number | undefined;
}

/** How long a daemon that is there may take to say its pid; that it is there is known before. */
const ANSWER_MS = 2000;

/** Who listens on a socket path; undefined for a file that nobody listens on. */
export const peerOn = (path: string): Promise<Peer | undefined> =>
  new Promise((resolve) => {
    const cutter = lineCutter(REQUEST_LIMIT);
    const socket = createConnection(path);
    const settle = (peer: Peer | undefined): void => {
      socket.destroy();
      resolve(peer);
    };
    socket.setTimeout(ANSWER_MS, () => settle({ pid: undefined }));
    socket.once("connect", () => {
      const params = { client: "harness daemon", protocol: PROTOCOL_VERSION };
      socket.write(encode({ jsonrpc: "2.0", id: 1, method: "hello", params }));
    });
    socket.on("data", (chunk) => {
      const [line] = cutter.push(chunk);
      if (line !== undefined) settle({ pid: line.type === "line" ? pidIn(line.text) : undefined });
    });
    socket.once("end", () => settle({ pid: undefined }));
    // Nobody listens: ECONNREFUSED, also for a file that is no socket. Everything else is somebody we cannot ask.
    socket.once("error", (error: NodeJS.ErrnoException) =>
      settle(error.code === "ECONNREFUSED" || error.code === "ENOENT" ? undefined : { pid: undefined }),
    );
  });

const pidIn = (line: string): number | undefined => {
  const response = parseResponse(line);
  const result = response !== undefined && "result" in response ? response.result : undefined;
  return isFields(result) && typeof result["pid"] === "number" ? result["pid"] : undefined;
};
