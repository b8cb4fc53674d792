import { KeeperProtocolError } from "./keeper-frames.ts";

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const parse = (payload: Buffer): unknown => {
  try {
    return JSON.parse(payload.toString("utf8"));
  } catch (error) {
    throw new KeeperProtocolError("a payload that is no JSON", { cause: error });
  }
};

/** A JSON object of the other side, read key by key; what is not as agreed throws {@link KeeperProtocolError}. */
export class Body {
  readonly #object: JsonObject;

  constructor(value: unknown) {
    if (!isObject(value)) throw new KeeperProtocolError("a payload that is no object");
    this.#object = value;
  }

  static parse(payload: Buffer): Body {
    return new Body(parse(payload));
  }

  get value(): JsonObject {
    return this.#object;
  }

  has(key: string): boolean {
    return this.#object[key] !== undefined;
  }

  text(key: string): string {
    const value = this.#object[key];
    return typeof value === "string" ? value : malformed(key);
  }

  /** A whole number from zero up: ids, epochs, offsets, times. */
  count(key: string): number {
    const value = this.#object[key];
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : malformed(key);
  }

  flag(key: string): boolean {
    const value = this.#object[key];
    return typeof value === "boolean" ? value : malformed(key);
  }

  oneOf<Word extends string>(key: string, words: readonly Word[]): Word {
    return words.find((word) => word === this.#object[key]) ?? malformed(key);
  }

  object(key: string): Body {
    const value = this.#object[key];
    return isObject(value) ? new Body(value) : malformed(key);
  }

  list(key: string): unknown[] {
    const value = this.#object[key];
    return Array.isArray(value) ? value : malformed(key);
  }

  texts(key: string): string[] {
    const value = this.list(key);
    return value.every((entry) => typeof entry === "string") ? value : malformed(key);
  }

  /** Any keys, with a string each. */
  textsByKey(key: string): Record<string, string> {
    const inner = this.object(key);
    return Object.fromEntries(Object.keys(inner.#object).map((name) => [name, inner.text(name)]));
  }

  nullable<Value>(key: string, read: (body: Body) => Value): Value | null {
    return this.#object[key] === null ? null : read(this);
  }
}

const malformed = (key: string): never => {
  throw new KeeperProtocolError(`${key} is missing or malformed`);
};
