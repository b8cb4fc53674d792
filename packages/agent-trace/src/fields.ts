import { at, object, string, type JsonObject } from "./jsonline.ts";
import type { JsonValue } from "./reader.ts";

/**
 * The known fields of one format, by kind of record and by position in it. A position is a path of keys joined by dots
 * (`message.usage`; the record itself is the empty one); lists are passed through to their elements, and `*` stands for a
 * key that is data, such as a model's name. What lies at a position that is not named is not looked into.
 */
export type KnownFields = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What a format's folder holds of its fields, as `scripts/fields.ts` learns it from real records. */
export interface FormatFields {
  kinds: KnownFields;
  /** Positions that are not looked into: arguments, results, what a plug-in may put there. */
  open: readonly string[];
  /** Positions whose keys are data. */
  free: readonly string[];
  /** Names the kind of a record as `kinds` does. */
  kindOf(record: JsonObject): string | undefined;
  /** The records in a document; the lines of a file need none. */
  recordsOf?(document: JsonValue): JsonObject[];
}

/** Tells of each field that is not known: its path behind the kind, and its value. */
export type FieldFound = (name: string, value: JsonValue) => void;

export interface FieldWatch {
  check(record: JsonObject, found: FieldFound): void;
}

/** The keys that are known at one position, and where to look on. */
interface Shape {
  keys: Map<string, Shape | undefined>;
  /** The shape behind every key, where keys are data. */
  any: Shape | undefined;
}

/** Most unknown fields that are told of one record: a record made of nothing else costs no more. */
const foundLimit = 50;

/** Watches a format's records for fields that are not among the known ones. Records of other kinds are not looked at. */
export const createFieldWatch = ({ kinds: known, kindOf }: FormatFields): FieldWatch => {
  const shapes = new Map<string, Shape>();
  const shapeOf = (kind: string): Shape | undefined => {
    const made = shapes.get(kind);
    if (made !== undefined || !Object.hasOwn(known, kind)) return made;
    const shape = shapeAt(known[kind] ?? {}, "");
    if (shape !== undefined) shapes.set(kind, shape);
    return shape;
  };
  return {
    check(record, found) {
      const kind = kindOf(record);
      const shape = kind === undefined ? undefined : shapeOf(kind);
      if (kind !== undefined && shape !== undefined) new Walk(found).object(record, shape, kind);
    },
  };
};

const shapeAt = (positions: Readonly<Record<string, string>>, position: string): Shape | undefined => {
  const keys = Object.hasOwn(positions, position) ? positions[position] : undefined;
  if (keys === undefined) return undefined;
  const shape: Shape = { keys: new Map(), any: undefined };
  for (const key of keys.split(" ")) {
    const below = shapeAt(positions, position === "" ? key : `${position}.${key}`);
    if (key === "*") shape.any = below ?? { keys: new Map(), any: undefined };
    else shape.keys.set(key, below);
  }
  return shape;
};

/** One record's fields against its shape. The shape bounds the depth. */
class Walk {
  readonly #found: FieldFound;
  #left = foundLimit;

  constructor(found: FieldFound) {
    this.#found = found;
  }

  object(record: JsonObject, shape: Shape, name: string): void {
    const { keys, any } = shape;
    // Parsed JSON has own keys only; `in` costs no list of them.
    for (const key in record) {
      const below = any ?? keys.get(key);
      if (below !== undefined) {
        const value = record[key];
        if (typeof value === "object" && value !== null)
          this.#value(value, below, any === undefined ? `${name}.${key}` : `${name}.*`);
      } else if (!keys.has(key)) this.#tell(`${name}.${key}`, record[key] ?? null);
      if (this.#left === 0) return;
    }
  }

  #value(value: JsonValue, shape: Shape, name: string): void {
    if (!Array.isArray(value)) {
      const record = object(value);
      if (record !== undefined) this.object(record, shape, name);
      return;
    }
    for (const element of value) if (typeof element === "object") this.#value(element, shape, name);
  }

  #tell(name: string, value: JsonValue): void {
    this.#left -= 1;
    this.#found(name, value);
  }
}

/** The kind of a record of the pi family: its type, and the role of the message in it. */
export const typeAndRole = (record: JsonObject): string | undefined => {
  const type = string(record["type"]);
  const role = string(at(record, "message", "role"));
  return role === undefined ? type : `${type}/${role}`;
};
