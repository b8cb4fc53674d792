import type { AST } from "toml-eslint-parser";
import type { TomlPath } from "./problem.ts";

/** A place in a file, counted from 1. */
interface Position {
  line: number;
  column: number;
}

/** Finds the place of a key or its value; of the nearest table that holds it, when the key is not there. */
export type Locate = (path: TomlPath, at: "key" | "value") => Position | undefined;

type Places = Map<string, { key: Position; value: Position }>;

/**
 * Positions of everything in a TOML document. The parser that knows them is loaded only here, when there is an error to
 * show: the one that reads the values has none for a document without syntax errors.
 */
export const locator = async (source: string): Promise<Locate> => {
  const { parseTOML } = await import("toml-eslint-parser");
  const places: Places = new Map();
  try {
    for (const node of parseTOML(source, { tomlVersion: "1.1" }).body[0].body) addTop(places, node);
  } catch {
    // The two parsers disagree about the document: then the message goes without a place.
    return () => undefined;
  }
  return (path, at) => {
    for (let length = path.length; length > 0; length -= 1) {
      const place = places.get(JSON.stringify(path.slice(0, length)));
      if (place !== undefined) return length === path.length ? place[at] : place.key;
    }
    return undefined;
  };
};

const addTop = (places: Places, node: AST.TOMLKeyValue | AST.TOMLTable): void => {
  if (node.type === "TOMLKeyValue") {
    addKeyValue(places, [], node);
    return;
  }
  const position = start(node.key);
  addPrefixes(places, node.resolvedKey, position);
  for (const child of node.body) addKeyValue(places, node.resolvedKey, child);
};

const addKeyValue = (places: Places, table: TomlPath, node: AST.TOMLKeyValue): void => {
  const keys = node.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
  addPrefixes(places, [...table, ...keys], start(node.key), start(node.value));
  addContent(places, [...table, ...keys], node.value);
};

const addContent = (places: Places, path: TomlPath, node: AST.TOMLContentNode): void => {
  if (node.type === "TOMLInlineTable") for (const child of node.body) addKeyValue(places, path, child);
  if (node.type === "TOMLArray") {
    for (const [index, element] of node.elements.entries()) {
      addPrefixes(places, [...path, index], start(element));
      addContent(places, [...path, index], element);
    }
  }
};

/** Enters a path and, where they are not known yet, the tables above it. */
const addPrefixes = (places: Places, path: TomlPath, key: Position, value: Position = key): void => {
  for (let length = 1; length <= path.length; length += 1) {
    const name = JSON.stringify(path.slice(0, length));
    if (!places.has(name)) places.set(name, length === path.length ? { key, value } : { key, value: key });
  }
};

const start = (node: { loc: AST.SourceLocation }): Position => ({
  line: node.loc.start.line,
  column: node.loc.start.column + 1,
});
