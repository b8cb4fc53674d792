import type { Socket } from "node:net";
import { HarnessError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Mask } from "../base/mask.ts";
import { lineCutter, REQUEST_LIMIT, type CutLine } from "../protocol/lines.ts";
import {
  APPLICATION_ERROR,
  encode,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  parseRequest,
  type Request,
  type Response,
  type RpcError,
} from "../protocol/messages.ts";
import type { Method, Methods } from "../protocol/methods.ts";
import { paramsOf, paramsProblem } from "./params.ts";

/** What the daemon does for each method. */
export type Handlers = {
  readonly [M in Method]: (
    params: Methods[M]["params"],
    caller: Caller,
  ) => Methods[M]["result"] | Promise<Methods[M]["result"]>;
};

/** The connection a request came on. */
interface Caller {
  /** Aborted when the connection ends: what was being waited for is no longer wanted. */
  readonly gone: AbortSignal;
  /** Once the answer is sent, the connection is no longer ours: `taker` has it, and what the client sent meanwhile. */
  handOver(taker: (connection: Socket) => void): void;
}

export interface ServeOptions {
  handlers: Handlers;
  log: Log;
  /** The redactor: an error's words can quote what an agent or a file said. */
  mask: Mask;
}

/** Requests of one connection that are worked on at once; more are read when one is answered. */
const IN_FLIGHT_LIMIT = 64;

/**
 * Serves one connection. Whatever comes in, it answers or it closes; it never throws, and it holds at most one line and
 * {@link IN_FLIGHT_LIMIT} requests of a client, also of one that never reads its answers.
 */
export const serve = (socket: Socket, options: ServeOptions): void => {
  const cutter = lineCutter(REQUEST_LIMIT);
  const gone = new AbortController();
  let queued: CutLine[] = [];
  let inFlight = 0;

  const send = (response: Response): void => {
    if (!socket.writable) return;
    socket.write(encode(response));
  };
  const next = (): CutLine | undefined =>
    inFlight < IN_FLIGHT_LIMIT && !socket.writableNeedDrain ? queued.shift() : undefined;
  const advance = (): void => {
    for (let line = next(); line !== undefined; line = next()) take(line);
    if (queued.length === 0) socket.resume();
    else socket.pause();
  };
  const take = (line: CutLine): void => {
    if (line.type === "oversize") {
      return send(
        failed(null, { code: INVALID_REQUEST, message: `A request is at most ${REQUEST_LIMIT} bytes.` }),
      );
    }
    if (line.text.trim() === "") return undefined;
    const request = parseRequest(line.text);
    if ("error" in request) return send({ jsonrpc: "2.0", ...request });
    inFlight += 1;
    let taker: ((connection: Socket) => void) | undefined;
    const handOver = (given: (connection: Socket) => void): void => {
      taker = given;
    };
    answerTo(request, { gone: gone.signal, handOver }, options)
      .then(send, (error: unknown) => options.log.error(`answering failed: ${String(error)}`))
      .finally(() => {
        inFlight -= 1;
        if (taker === undefined) return advance();
        leave();
        return taker(socket);
      })
      .catch((error: unknown) => options.log.error(`reading on failed: ${String(error)}`));
    return undefined;
  };

  const receive = (chunk: Buffer): void => {
    queued = queued.concat(cutter.push(chunk));
    advance();
  };
  /** A client speaks frames only after the answer, so nothing of them has been read as lines. */
  const leave = (): void => {
    socket.off("data", receive);
    socket.off("drain", advance);
    queued = [];
  };
  socket.on("data", receive);
  socket.on("drain", advance);
  // A client that goes away is not the daemon's concern.
  socket.on("error", () => socket.destroy());
  socket.once("close", () => {
    queued = [];
    gone.abort();
  });
};

const failed = (id: Request["id"] | null, error: RpcError): Response => ({ jsonrpc: "2.0", id, error });

const isMethod = (name: string): name is Method => Object.hasOwn(paramsOf, name);

const answerTo = async (request: Request, caller: Caller, options: ServeOptions): Promise<Response> => {
  const { id, method } = request;
  if (!isMethod(method)) {
    return failed(id, {
      code: METHOD_NOT_FOUND,
      message: "There is no such method.",
      data: { code: "bad_request" },
    });
  }
  try {
    return await call(method, options.handlers[method], request, caller);
  } catch (error) {
    return failed(id, errorOf(error, method, options));
  }
};

const call = async <M extends Method>(
  method: M,
  handler: Handlers[M],
  { id, params }: Request,
  caller: Caller,
): Promise<Response> => {
  const checked = paramsOf[method].safeParse(params);
  if (!checked.success) {
    const message = `${method}: ${paramsProblem(checked.error)}`;
    return failed(id, { code: INVALID_PARAMS, message, data: { code: "bad_request" } });
  }
  return { jsonrpc: "2.0", id, result: await handler(checked.data, caller) };
};

const errorOf = (error: unknown, method: Method, { log, mask }: ServeOptions): RpcError => {
  if (error instanceof HarnessError) {
    const hint = error.hint === undefined ? {} : { hint: mask(error.hint) };
    return { code: APPLICATION_ERROR, message: mask(error.message), data: { code: error.code, ...hint } };
  }
  log.error(`${method} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return {
    code: INTERNAL_ERROR,
    message: "The daemon failed to answer.",
    data: { code: "internal", hint: "see its log, daemon.log in the state folder" },
  };
};
