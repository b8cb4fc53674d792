import type { Socket } from "node:net";
import { encodeFromViewer, viewReader, type ViewSize } from "../protocol/attach.ts";
import type { Attached, AttachRequest } from "../protocol/methods.ts";
import { connect, type ConnectOptions } from "./connect.ts";

export interface AttachOptions extends ConnectOptions {
  request: AttachRequest;
  /** Of the terminal that looks. */
  size: ViewSize;
  /** Bytes for the terminal: its screen first, then what comes. */
  output(bytes: Uint8Array): void;
}

/** A terminal that is being looked at. */
export interface Attachment extends Attached {
  /** Keys for the program on it. */
  input(bytes: Uint8Array): void;
  resize(size: ViewSize): void;
  /** Resolves when there is no more to see, with the daemon's reason; undefined after {@link Attachment.detach}. */
  readonly ended: Promise<string | undefined>;
  detach(): void;
}

/** Attaches to a harness's terminal, on a connection of its own. Fails with a `DaemonError`: `no_terminal`, and as `connect`. */
export const attach = async ({ request, size, output, ...options }: AttachOptions): Promise<Attachment> => {
  const client = await connect(options);
  try {
    const attached = await client.call("attach", request);
    const viewed = view(client.leave(), output);
    viewed.resize(size);
    return { ...attached, ...viewed };
  } catch (error) {
    client.close();
    throw error;
  }
};

const view = (socket: Socket, output: (bytes: Uint8Array) => void): Omit<Attachment, keyof Attached> => {
  const reader = viewReader();
  let detached = false;
  const ended = new Promise<string | undefined>((resolve) => {
    socket.on("data", (chunk) => {
      try {
        for (const message of reader.push(chunk)) {
          if (message.type === "output") output(message.bytes);
          else resolve(message.reason);
        }
      } catch {
        socket.destroy();
      }
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(detached ? undefined : "the daemon is gone"));
  });
  return {
    ended,
    input: (bytes) => socket.write(encodeFromViewer({ type: "input", bytes })),
    resize: (size) => socket.write(encodeFromViewer({ type: "size", size })),
    detach: () => {
      detached = true;
      socket.end();
    },
  };
};
