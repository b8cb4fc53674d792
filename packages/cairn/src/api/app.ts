import { randomUUID } from "node:crypto";
import type { RuleFile } from "@orphus/agent-trace/redact";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { limits, type Provenance, type Run } from "../run/run.ts";
import { runView } from "../run/view.ts";
import { StoreError, type TraceStore } from "../store/store.ts";
import { missingPage, runPage } from "../viewer/page.ts";
import { authorizeWriter } from "./auth.ts";
import { readJson } from "./body.ts";
import { ApiError, type ErrorBody, notFound } from "./errors.ts";
import { runFrom } from "./ingest.ts";
import { createMasker } from "./mask.ts";
import { validateRun } from "./validate.ts";

export interface AppOptions {
  store: TraceStore;
  /** What a writer has to show; without one everybody may write. */
  token: string | undefined;
  /** Rule files of the operator, which mask beside the built-in rules. */
  rules?: readonly RuleFile[];
  /** Where the server is reached from outside; asked for at each request, because a port may be chosen late. */
  baseUrl: () => string;
  /** Milliseconds that a run is kept. */
  keepMs: number;
  now: () => Date;
  /** Told of every error that is the server's own, so that an operator can see it. */
  report: (message: string) => void;
}

type Variables = { requestId: string; actor: Provenance["actor"] };

/** The web application: interface and pages, over a store. */
export const createApp = (options: AppOptions): Hono<{ Variables: Variables }> => {
  const { store, token, baseUrl, keepMs, now } = options;
  const masker = createMasker(token === undefined ? [] : [token], options.rules);
  const app = new Hono<{ Variables: Variables }>();

  app.use(async (context, next) => {
    context.set("requestId", randomUUID());
    await next();
    for (const [name, value] of Object.entries(commonHeaders)) {
      if (!context.res.headers.has(name)) context.header(name, value);
    }
    context.header("x-request-id", context.get("requestId"));
  });

  const find = async (id: string): Promise<Run> => {
    const run = await store.run(id, now());
    if (run === undefined) throw notFound();
    return run;
  };

  app.post(
    "/v1/runs",
    async (context, next) => {
      // Before the body is read: who may not write does not get to send one.
      context.set("actor", authorizeWriter(token, context.req.header("authorization")));
      await next();
    },
    bodyLimit({
      maxSize: limits.bodyBytes,
      onError: () => {
        throw new ApiError("payload_too_large", `A request takes at most ${limits.bodyBytes} bytes.`);
      },
    }),
    async (context) => {
      const body = validateRun(await readJson(context.req));
      const run = runFrom(body, masker, { actor: context.get("actor"), now: now(), keepMs });
      await store.createRun(run);
      return context.json(runView(run, baseUrl()), 201);
    },
  );

  app.get("/v1/runs/:id", async (context) =>
    context.json(runView(await find(context.req.param("id")), baseUrl())),
  );

  app.get("/v1/runs/:id/spans/:span/output", async (context) => {
    const output = await store.output(context.req.param("id"), context.req.param("span"), now());
    if (output === undefined) throw notFound();
    context.header("content-type", "application/octet-stream");
    // An attachment of a type that no browser shows: what an agent wrote is never rendered here.
    context.header("content-disposition", 'attachment; filename="output.txt"');
    context.header("etag", `"${output.sha256}"`);
    context.header("x-cairn-checksum", `sha256:${output.sha256}`);
    context.header("x-cairn-truncated", String(output.truncated));
    return context.body(Uint8Array.from(output.bytes));
  });

  app.get("/run/:id", async (context) => {
    const run = await store.run(context.req.param("id"), now());
    const page = run === undefined ? await missingPage() : await runPage(runView(run, baseUrl()));
    context.header("content-security-policy", page.contentSecurityPolicy);
    return context.html(page.html, run === undefined ? 404 : 200);
  });

  app.notFound(() => {
    throw notFound();
  });

  app.onError((error, context) => {
    const known = apiErrorOf(error, (message) => options.report(masker.text(message)));
    if (known.retryAfter !== undefined) context.header("retry-after", String(known.retryAfter));
    if (known.code === "unauthorized") context.header("www-authenticate", "Bearer");
    const body: ErrorBody = {
      error: {
        code: known.code,
        message: known.message,
        details: [...known.details],
        request_id: context.get("requestId"),
      },
    };
    return context.json(body, known.status);
  });
  return app;
};

/** Answers carry content that may be read only by who has the link, and is hostile besides. */
const commonHeaders = {
  "cache-control": "private, no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow",
};

const apiErrorOf = (error: Error, report: AppOptions["report"]): ApiError => {
  if (error instanceof ApiError) return error;
  report(error instanceof StoreError ? error.message : (error.stack ?? error.message));
  if (error instanceof StoreError) {
    const message =
      error.reason === "full" ? "The store has no room left." : "The store cannot be used at the moment.";
    return new ApiError("unavailable", `${message} Nothing was stored; try again later.`, { retryAfter: 30 });
  }
  return new ApiError("internal", "The server failed; nothing was stored.");
};
