import { z } from "zod";
import type { Method, Methods } from "../protocol/methods.ts";

const name = z.string().min(1).max(200);
const none = z.object({});
const runId = z.int().min(1);
const limit = z.int().min(1).max(1000);

/** What each method takes. Unknown fields are ignored, so that a newer client can ask an older daemon. */
export const paramsOf: { readonly [M in Method]: z.ZodType<Methods[M]["params"]> } = {
  hello: z.object({ client: z.string().max(200), protocol: z.string().max(50) }),
  list: none,
  runs: z.object({
    names: z.array(name).max(1000).exactOptional(),
    since: z.iso.datetime({ offset: true }).exactOptional(),
    limit: limit.exactOptional(),
  }),
  logs: z.object({
    name,
    runId: runId.exactOptional(),
    after: z.int().min(0).exactOptional(),
    limit: limit.exactOptional(),
    waitMs: z.int().min(0).max(60_000).exactOptional(),
  }),
  trigger: z.object({
    name,
    wait: z.boolean().exactOptional(),
    eventFile: z.string().startsWith("/").exactOptional(),
  }),
  run: z.object({
    kind: name,
    prompt: z.string().min(1),
    workdir: z.string().startsWith("/"),
    model: z.string().regex(/^\S+$/).exactOptional(),
    autoAccept: z.boolean().exactOptional(),
    wait: z.boolean().exactOptional(),
  }),
  stop: z.object({ name }),
  capture: z.object({ name }),
  attach: z.object({ name, readOnly: z.boolean().exactOptional() }),
  start: z.object({ name }),
  restart: z.object({ name }),
  reload: none,
  rescan: z.object({ check: z.boolean().exactOptional() }),
  shutdown: z.object({ leaveRuns: z.boolean().exactOptional() }),
};

/** What is wrong with the parameters, a clause an issue. */
export const paramsProblem = (error: z.ZodError): string =>
  error.issues
    .map((issue) => [issue.path.join("."), issue.message].filter((part) => part !== "").join(": "))
    .join("; ");
