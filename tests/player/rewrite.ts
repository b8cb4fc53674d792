import { createHash } from "node:crypto";
import type { CaptureInfo } from "./capture.ts";

/** What differs between the captured run and the one being played. */
export interface Played {
  cwd: string;
  home: string;
  /** Undefined keeps the captured prompt. */
  prompt: string | undefined;
  /** Undefined keeps the captured ids. */
  nonce: string | undefined;
  /** The session that is continued, or the id that was asked for. */
  sessionId: string | undefined;
  /** Milliseconds since the epoch; undefined keeps the captured times. */
  startedAt: number | undefined;
  speed: number;
}

/** The folder of a working directory under `~/.claude/projects`. */
export const projectSlug = (cwd: string): string => cwd.replaceAll(/[^A-Za-z0-9]/g, "-");

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const uuidShape = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const messageShape = /\b(msg_01|toolu_01|req_)(fake\d+)\b/g;
const agentShape = /\ba[0-9a-f]{16}\b/g;
const timeShape = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const epochShape = /("(?:sentAtMs|startTime|end_time)":)(\d{13})/g;

/**
 * A function that turns captured text into text of this run: its own ids, places, prompt and times. One captured id
 * becomes one new id wherever it stands, so that stream and transcript still agree.
 */
export const rewriter = (info: CaptureInfo, session: string, played: Played): ((text: string) => string) => {
  const places: [string, string][] = [
    [projectSlug(info.cwd), projectSlug(played.cwd)],
    [info.cwd, escaped(played.cwd)],
    [info.home, escaped(played.home)],
  ];
  if (played.prompt !== undefined) places.push([escaped(info.prompt), escaped(played.prompt)]);
  const identify = identities(session, played);
  const date = dates(Date.parse(info.startedAt), played);
  // Places and prompt last: what the caller passed in is not captured text, and stays as it is.
  return (text) => places.reduce((done, [from, to]) => done.replaceAll(from, () => to), date(identify(text)));
};

const identities = (session: string, { nonce, sessionId }: Played): ((text: string) => string) => {
  const digest = (id: string): string =>
    createHash("sha256")
      .update(`${nonce ?? ""} ${id}`)
      .digest("hex");
  const uuid = (id: string): string => {
    if (id === session && sessionId !== undefined) return sessionId;
    if (nonce === undefined) return id;
    const hex = digest(id);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
  return (text) => {
    const known = text.replaceAll(uuidShape, uuid);
    if (nonce === undefined) return known;
    return known
      .replaceAll(messageShape, (_, prefix: string, id: string) => prefix + digest(id).slice(0, 22))
      .replaceAll(agentShape, (id) => `a${digest(id).slice(0, 16)}`);
  };
};

const dates = (capturedStart: number, { startedAt, speed }: Played): ((text: string) => string) => {
  if (startedAt === undefined) return (text) => text;
  const shift = (at: number): number => Math.round(startedAt + (at - capturedStart) / speed);
  return (text) =>
    text
      .replaceAll(timeShape, (time) => new Date(shift(Date.parse(time))).toISOString())
      .replaceAll(epochShape, (_, key: string, at: string) => `${key}${shift(Number(at))}`);
};
