import { createHash } from "node:crypto";
import { MAX_RESPONSE_TEXT_BYTES, type ResponseStream } from "../record/types.ts";

/** What has come of a response's body so far. */
export interface ReceivedBody {
  /** Text as it came, to at most {@link MAX_RESPONSE_TEXT_BYTES}; length and hash are those of all of it. */
  received(): ResponseStream;
}

/** A response that can be read as before, and what was read of it. */
export interface WatchedResponse {
  response: Response;
  body: ReceivedBody;
}

/**
 * Watches a body as it is read. `next` stands between the network and the reader for each piece, so that it can bound the
 * time a piece may take.
 */
export const watchBody = (
  response: Response,
  next: <T>(piece: Promise<T>) => Promise<T>,
): WatchedResponse => {
  const hash = createHash("sha256");
  const kept: Uint8Array[] = [];
  let byteLength = 0;
  let keptBytes = 0;
  const take = (piece: Uint8Array): void => {
    hash.update(piece);
    byteLength += piece.byteLength;
    const room = MAX_RESPONSE_TEXT_BYTES - keptBytes;
    if (room <= 0) return;
    // Copied: whoever reads the body may use the buffer again.
    kept.push(Uint8Array.from(piece.subarray(0, room)));
    keptBytes += Math.min(room, piece.byteLength);
  };
  const reader = response.body?.getReader();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const read = await next(reader?.read() ?? Promise.resolve({ done: true as const, value: undefined }));
        if (read.done) return controller.close();
        take(read.value);
        controller.enqueue(read.value);
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    // Nothing is read before it is asked for.
    { highWaterMark: 0 },
  );
  const headers = new Headers(response.headers);
  // They describe the bytes on the wire, not the decoded ones that are passed on.
  headers.delete("content-encoding");
  headers.delete("content-length");
  const contentType = headers.get("content-type");
  return {
    response: new Response(response.body === null ? null : stream, {
      status: response.status,
      statusText: response.statusText,
      headers,
    }),
    body: {
      received: () => ({
        ...(contentType === null ? {} : { contentType }),
        byteLength,
        sha256: hash.copy().digest("hex"),
        text: new TextDecoder().decode(Buffer.concat(kept)),
        ...(byteLength > keptBytes ? { truncated: true as const } : {}),
      }),
    },
  };
};
