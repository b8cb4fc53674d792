import { createServer } from "node:http";
import { once } from "node:events";

/** What a request to the model looked like when it arrived. */
export interface Hit {
  url: string;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
}

/** A model server on the loopback, answering from a list; `seen` runs when a request has arrived, before the answer. */
export const startModelServer = async (
  answers: readonly { status?: number; body: string; type?: string }[],
  seen: (hit: Hit) => void = () => undefined,
) => {
  const hits: Hit[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const hit = { url: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) };
      hits.push(hit);
      seen(hit);
      const answer = answers[hits.length - 1] ?? { status: 500, body: "{}" };
      response.writeHead(answer.status ?? 200, { "content-type": answer.type ?? "text/event-stream" });
      response.end(answer.body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    hits,
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
