/** What a run finds in the file that `HARNESS_EVENT_FILE` names. */
export interface Envelope {
  v: 1;
  /** `webhook.github`, or `manual`. */
  source: string;
  /** The sender's name of the event, and its id. */
  event?: string;
  id?: string;
  /** ISO time. */
  receivedAt: string;
  /** The body: a value where it was JSON, else its text. */
  body: unknown;
}

export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON where it is that, else the text. */
export const bodyOf = (bytes: Uint8Array): unknown => {
  const text = Buffer.from(bytes).toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
};

/** Whether a file holds an event as it was once given to a run: then it is that event again. */
export const isEnvelope = (value: unknown): value is Envelope =>
  isJsonObject(value) &&
  value["v"] === 1 &&
  typeof value["source"] === "string" &&
  typeof value["receivedAt"] === "string" &&
  "body" in value;

/** The event as a run gets it: one line of JSON, masked. `mask` masks within the strings of a line of JSON. */
export const eventText = (envelope: Envelope, mask: (line: string) => string): string =>
  `${mask(JSON.stringify(envelope))}\n`;
