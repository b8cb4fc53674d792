import { createHash, timingSafeEqual } from "node:crypto";
import { ApiError } from "./errors.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * Lets a writer in. Compares digests, whose length is always the same, in constant time.
 * @param token what a writer has to show; undefined lets in everyone, which the server allows on loopback only.
 * @param authorization the request's header.
 * @returns who the writer is.
 * @throws {ApiError} `unauthorized`, the same for a missing, a malformed and a wrong one.
 */
export const authorizeWriter = (
  token: string | undefined,
  authorization: string | undefined,
): "token" | "loopback" => {
  if (token === undefined) return "loopback";
  const [, shown = ""] = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? "") ?? [];
  if (!timingSafeEqual(digest(shown), digest(token))) {
    throw new ApiError("unauthorized", "A bearer token of this server is needed.");
  }
  return "token";
};
