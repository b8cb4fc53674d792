import { VERSION } from "../version.ts";
import { GEN_AI_CONVENTIONS, type AttributeValue, type Attributes, type Trace } from "./trace.ts";

type OtlpValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: { stringValue: string }[] } };

interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}

/** An export request of OTLP in its JSON form: what a collector takes at `/v1/traces`. */
export interface OtlpTrace {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    schemaUrl: string;
    scopeSpans: { scope: { name: string; version: string }; spans: unknown[] }[];
  }[];
}

const kinds = { internal: 1, client: 3 } as const;

/** A trace in OTLP's JSON form: times in nanoseconds as text, whole numbers as text. */
export const toOtlp = (trace: Trace): OtlpTrace => ({
  resourceSpans: [
    {
      resource: { attributes: listed({ "service.name": "agent-trace" }) },
      schemaUrl: `https://opentelemetry.io/schemas/${GEN_AI_CONVENTIONS}`,
      scopeSpans: [
        {
          scope: { name: "agent-trace", version: VERSION },
          spans: trace.spans.map(({ startAt, endAt, kind, error, attributes, events, ...span }) => ({
            ...span,
            kind: kinds[kind],
            startTimeUnixNano: nanos(startAt),
            endTimeUnixNano: nanos(endAt),
            attributes: listed(attributes),
            events: events.map((event) => ({
              name: event.name,
              timeUnixNano: nanos(event.at),
              attributes: listed(event.attributes),
            })),
            status: error === undefined ? { code: 0 } : { code: 2, message: error },
          })),
        },
      ],
    },
  ],
});

const nanos = (ms: number): string => (BigInt(Math.round(ms)) * 1_000_000n).toString();

const listed = (attributes: Attributes): OtlpAttribute[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));

const valueOf = (value: AttributeValue): OtlpValue => {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: value.toString() } : { doubleValue: value };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
};
