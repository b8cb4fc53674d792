import { isDeepStrictEqual } from "node:util";
import type { ServedModel, SessionItem, Timestamp } from "@orphus/agent-trace/item";

/** Most models that one session keeps; an agent that names more is making them up. */
const MAX_MODELS = 64;

const earlier = (a: Timestamp | undefined, b: Timestamp | undefined): Timestamp | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;

const later = (a: Timestamp | undefined, b: Timestamp | undefined): Timestamp | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a;

const union = (known: readonly ServedModel[], more: readonly ServedModel[]): ServedModel[] => {
  const models = [...known];
  for (const model of more) {
    const seen = models.some((each) => each.model === model.model && each.provider === model.provider);
    if (!seen && models.length < MAX_MODELS) models.push(model);
  }
  return models;
};

/**
 * A session as known, with a patch from any of its sources laid over it: absent = unchanged, the earliest start, the
 * latest end, every model. Returns `known` itself when the patch says nothing new.
 */
export const patchSession = (known: SessionItem, patch: SessionItem): SessionItem => {
  const startedAt = earlier(known.startedAt, patch.startedAt);
  const endedAt = later(known.endedAt, patch.endedAt);
  const models = union(known.models ?? [], patch.models ?? []);
  const facts: SessionItem = {
    ...known,
    ...patch,
    // The place in the order is that of the first sight.
    seq: known.seq,
    rev: known.rev,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(models.length === 0 ? {} : { models }),
  };
  if (isDeepStrictEqual(facts, known)) return known;
  return { ...facts, rev: Math.max(patch.rev, known.rev + 1) };
};
