import { createServer } from "node:http";
import { once } from "node:events";

/** What a request to the model looked like when it arrived. */
export interface Hit {
  url: string;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
}

/** What a server gives back. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: string;
  type?: string;
  /** Closes the connection after the body, which is then no whole one; or says nothing at all. */
  after?: "cut" | "silence";
}

/** A model server on the loopback, answering from a list; `seen` runs when a request has arrived, before the answer. */
export const startModelServer = async (
  answers: readonly Answer[],
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
      const answer: Answer = answers[hits.length - 1] ?? { status: 500, body: "{}" };
      const type = { "content-type": answer.type ?? "text/event-stream" };
      response.writeHead(answer.status ?? 200, { ...type, ...answer.headers });
      if (answer.after === undefined) response.end(answer.body);
      else response.write(answer.body, () => answer.after === "cut" && response.destroy());
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
