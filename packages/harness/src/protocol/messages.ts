/** The envelope of JSON-RPC 2.0: one JSON object a line. Batches are not part of this contract. */
export interface Request {
  jsonrpc: "2.0";
  id: RequestId;
  method: string;
  params: unknown;
}

export type RequestId = number | string;

export type Response =
  | { jsonrpc: "2.0"; id: RequestId; result: unknown }
  | { jsonrpc: "2.0"; id: RequestId | null; error: RpcError };

/** What went wrong. `data` carries our own code and what to do next. */
export interface RpcError {
  /** JSON-RPC's number: what is wrong with the message itself, or {@link APPLICATION_ERROR}. */
  code: number;
  message: string;
  data?: { code: string; hint?: string };
}

const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** The message was right and the answer is no. */
export const APPLICATION_ERROR = -32000;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is RequestId =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value));

/** Reads a line as a request. The error says what is wrong with it, under the request's id where it has one. */
export const parseRequest = (line: string): Request | { id: RequestId | null; error: RpcError } => {
  const message = parseJson(line);
  if (message === undefined)
    return { id: null, error: { code: PARSE_ERROR, message: "The line is not JSON." } };
  const id = isFields(message) && isId(message["id"]) ? message["id"] : null;
  const invalid = (what: string): { id: RequestId | null; error: RpcError } => ({
    id,
    error: { code: INVALID_REQUEST, message: what },
  });
  if (!isFields(message)) return invalid("A request is a JSON object; batches are not supported.");
  if (message["jsonrpc"] !== "2.0") return invalid('A request has "jsonrpc": "2.0".');
  if (id === null)
    return invalid("A request has an id, a number or a string; notifications are not supported.");
  if (typeof message["method"] !== "string") return invalid("A request has a method, a string.");
  return { jsonrpc: "2.0", id, method: message["method"], params: message["params"] ?? {} };
};

/** Reads a line as a response; undefined when it is none. */
export const parseResponse = (line: string): Response | undefined => {
  const message = parseJson(line);
  if (!isFields(message) || message["jsonrpc"] !== "2.0") return undefined;
  const { id, error } = message;
  if (isFields(error)) {
    const read = readError(error);
    return read === undefined || !(isId(id) || id === null) ? undefined : { jsonrpc: "2.0", id, error: read };
  }
  return isId(id) && "result" in message ? { jsonrpc: "2.0", id, result: message["result"] } : undefined;
};

const readError = (error: Fields): RpcError | undefined => {
  const { code, message, data } = error;
  if (typeof code !== "number" || typeof message !== "string") return undefined;
  if (!isFields(data) || typeof data["code"] !== "string") return { code, message };
  const hint = typeof data["hint"] === "string" ? { hint: data["hint"] } : {};
  return { code, message, data: { code: data["code"], ...hint } };
};

const parseJson = (line: string): unknown => {
  try {
    const value: unknown = JSON.parse(line);
    return value;
  } catch {
    return undefined;
  }
};

/** A message as it goes onto the socket. */
export const encode = (message: Request | Response): string => `${JSON.stringify(message)}\n`;
