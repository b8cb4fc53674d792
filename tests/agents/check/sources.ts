import {
  createNormalizer,
  locateSessions,
  readPath,
  RecordFold,
  type SessionRecord,
} from "@orphus/agent-trace";
import type { RealAgent, Place } from "../agents/real-agent.ts";

/** What a run's stdout says. */
export const readStream = (agent: RealAgent, place: Place, stdout: string): SessionRecord[] => {
  const fold = new RecordFold();
  const sink = { item: fold.add.bind(fold) };
  const normalizer = createNormalizer({ agent: agent.name, home: place.home, cwd: place.work });
  normalizer.push(Buffer.from(stdout), sink);
  normalizer.end(sink);
  return fold.sessions;
};

/** What the run left in its home. */
export const readTranscripts = (agent: RealAgent, { home }: Place): SessionRecord[] => {
  const fold = new RecordFold();
  for (const { path } of locateSessions({ home, env: {} }))
    readPath(path, { item: (item) => fold.add(item, path) }, { agent: agent.name, home });
  return fold.sessions;
};
