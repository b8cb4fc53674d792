import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { HarnessError } from "../base/errors.ts";
import { bodyOf, eventText, isEnvelope, type Envelope } from "../trigger/envelope.ts";

/** The longest event that a run is given by hand. */
const MOST_BYTES = 25 * 1024 * 1024;

/**
 * The event in a file, for a run that is started by hand: one that an earlier run was given comes again as it was, anything
 * else is the body of a new one. Throws `bad_request`.
 */
export const eventFromFile = (
  path: string,
  now: number,
  mask: (line: string) => string,
): { event: string; source?: string; eventId?: string } => {
  const body = bodyOf(read(path));
  if (!isEnvelope(body)) {
    const envelope: Envelope = { v: 1, source: "manual", receivedAt: new Date(now).toISOString(), body };
    return { event: eventText(envelope, mask) };
  }
  const { source, id } = body;
  return { event: eventText(body, mask), source, ...(typeof id === "string" && { eventId: id }) };
};

const read = (path: string): Uint8Array => {
  let fd: number;
  try {
    // A FIFO in the file's place must not make the daemon wait for a writer.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unfit(path, "cannot be read", error);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw unfit(path, "is not a regular file");
    if (stat.size > MOST_BYTES) throw unfit(path, `is longer than ${MOST_BYTES} bytes`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
};

const unfit = (path: string, what: string, cause?: unknown): HarnessError =>
  new HarnessError("bad_request", `The event file ${path} ${what}.`, {
    hint: "name a file with the event, JSON or text; nothing was started",
    cause,
  });
