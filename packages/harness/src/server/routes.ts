import type { Webhooks } from "../trigger/webhooks.ts";
import type { HttpAnswer, HttpHandler } from "./http.ts";

const NOT_FOUND: HttpAnswer = { status: 404, body: { error: "there is nothing here" } };

const wrongMethod = (allow: string): HttpAnswer => ({
  status: 405,
  body: { error: `this takes ${allow}` },
  headers: { allow },
});

/** What the daemon answers over HTTP: `GET /healthz` and `POST /hooks/<name>`. */
export const routes =
  (webhooks: Pick<Webhooks, "limitOf" | "deliver">): HttpHandler =>
  async (request) => {
    if (request.path === "/healthz")
      return request.method === "GET" ? { status: 200, body: "ok\n" } : wrongMethod("GET");
    const [, name] = /^\/hooks\/([a-z0-9-]+)$/.exec(request.path) ?? [];
    const limit = name === undefined ? undefined : webhooks.limitOf(name);
    if (name === undefined || limit === undefined) return NOT_FOUND;
    if (request.method !== "POST") return wrongMethod("POST");
    const body = await request.body(limit);
    if (body === undefined) return { status: 413, body: { error: `a delivery is at most ${limit} bytes` } };
    const { retryAfter, ...reply } = await webhooks.deliver(name, { headers: request.headers, body });
    return retryAfter === undefined ? reply : { ...reply, headers: { "retry-after": String(retryAfter) } };
  };
