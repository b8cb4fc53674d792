/**
 * Learns the known fields of each agent's formats (`src/agents/<name>/fields.json`) from real records: `fields.ts FILE…`.
 * It adds the fields of the kinds that are listed there; what stands under `open` is not looked into, and the keys under
 * `free` are data. Kinds that are not listed are printed and left alone. Read the difference before it is committed.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Agent } from "../src/agent.ts";
import { agentNamed } from "../src/agents/registry.ts";
import type { FormatFields } from "../src/fields.ts";
import { array, object, objects, parseJson, string, type JsonObject } from "../src/jsonline.ts";
import { jsonValues } from "../src/json-values.ts";
import type { JsonValue } from "../src/reader.ts";
import {
  identifyDatabase,
  identifyDocument,
  identifyLines,
  isSqlite,
  readHead,
} from "../src/read/identify.ts";

const agentsFolder = join(import.meta.dirname, "..", "src", "agents");

/** Fields by kind and position, as sets. */
type Learned = Map<string, Map<string, Set<string>>>;

interface Survey {
  format: FormatFields;
  learned: Learned;
  otherKinds: Map<string, number>;
}

const surveys = new Map<string, Record<string, Survey>>();

const surveyOf = async (agent: Agent, form: string): Promise<Survey | undefined> => {
  if (!surveys.has(agent.name)) {
    const loaded: unknown = await import(join(agentsFolder, agent.name, "fields.ts")).catch(() => ({}));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every fields.ts exports its formats so
    const { formats = {} } = loaded as { formats?: Record<string, FormatFields> };
    surveys.set(
      agent.name,
      Object.fromEntries(
        Object.entries(formats).map(([name, format]) => [
          name,
          { format, learned: startFrom(format), otherKinds: new Map<string, number>() },
        ]),
      ),
    );
  }
  return surveys.get(agent.name)?.[form];
};

const startFrom = ({ kinds }: FormatFields): Learned =>
  new Map(
    Object.entries(kinds).map(([kind, positions]) => [
      kind,
      new Map(Object.entries(positions).map(([at, keys]) => [at, new Set(keys.split(" ").filter(Boolean))])),
    ]),
  );

const learnRecord = ({ format, learned, otherKinds }: Survey, record: JsonObject): void => {
  const kind = format.kindOf(record);
  const positions = kind === undefined ? undefined : learned.get(kind);
  if (kind !== undefined && positions === undefined) otherKinds.set(kind, (otherKinds.get(kind) ?? 0) + 1);
  if (positions !== undefined) learnAt(format, positions, "", record);
};

const learnAt = (
  format: FormatFields,
  positions: Map<string, Set<string>>,
  position: string,
  value: JsonValue,
): void => {
  if (format.open.includes(position)) return;
  for (const element of array(value) ?? []) learnAt(format, positions, position, element);
  const record = object(value);
  if (record === undefined) return;
  const keys = positions.get(position) ?? new Set<string>();
  if (Object.keys(record).length > 0) positions.set(position, keys);
  for (const [key, field] of Object.entries(record)) {
    const name = format.free.includes(position) ? "*" : key;
    keys.add(name);
    learnAt(format, positions, position === "" ? name : `${position}.${name}`, field);
  }
};

const learnFile = async (path: string): Promise<void> => {
  const head = readHead(path);
  if (isSqlite(head)) return learnDatabase(path);
  const found = identifyLines(path, head);
  if (found === undefined) {
    const document = parseJson(readFileSync(path, "utf8"));
    if (path.endsWith("rows.json")) return learnRows(object(document) ?? {});
    const whose = document === undefined ? undefined : identifyDocument(path, document);
    const survey = whose === undefined ? undefined : await surveyOf(whose.agent, "document");
    const records = survey?.format.recordsOf?.(document ?? null) ?? [];
    if (survey !== undefined) for (const record of records) learnRecord(survey, record);
    return undefined;
  }
  const survey = await surveyOf(found.agent, found.kind === "stream" ? "stream" : "transcript");
  if (survey === undefined) return undefined;
  for (const line of readFileSync(path, "utf8").split("\n")) {
    for (const value of jsonValues(line).values) {
      const record = object(value);
      if (record !== undefined) learnRecord(survey, record);
    }
  }
  return undefined;
};

/** Rows of an opencode database, as its captures keep them. */
const learnRows = async (tables: JsonObject): Promise<void> => {
  const opencode = agentNamed("opencode");
  const survey = opencode === undefined ? undefined : await surveyOf(opencode, "transcript");
  for (const row of [...objects(tables["message"]), ...objects(tables["part"])]) {
    const data = row["data"] ?? null;
    const record = object(typeof data === "string" ? parseJson(data) : data);
    if (survey !== undefined && record !== undefined) learnRecord(survey, record);
  }
};

/** Columns that hold JSON, in the databases of opencode and Crush. */
const queries = [
  "SELECT data AS json FROM message",
  "SELECT data AS json FROM part",
  "SELECT parts AS json FROM messages",
];

const learnDatabase = async (path: string): Promise<void> => {
  const database = new DatabaseSync(path, { readOnly: true });
  const found = identifyDatabase(path, database);
  const survey = found === undefined ? undefined : await surveyOf(found.agent, "transcript");
  for (const sql of survey === undefined ? [] : queries) {
    try {
      for (const row of database.prepare(sql).all()) {
        const value = parseJson(string(typeof row["json"] === "string" ? row["json"] : "") ?? "");
        for (const record of Array.isArray(value) ? value : [value]) {
          const fields = object(record);
          if (survey !== undefined && fields !== undefined) learnRecord(survey, fields);
        }
      }
    } catch {
      // The other agent's table.
    }
  }
  database.close();
};

const written = ({ format, learned }: Survey): object => ({
  open: [...format.open],
  free: [...format.free],
  kinds: Object.fromEntries(
    [...learned]
      .toSorted(byKey)
      .map(([kind, positions]) => [
        kind,
        Object.fromEntries(
          [...positions]
            .toSorted(byKey)
            .map(([at, keys]) => [at, [...keys].toSorted((a, b) => (a < b ? -1 : 1)).join(" ")]),
        ),
      ]),
  ),
});

const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

for (const path of process.argv.slice(2)) await learnFile(path);
for (const [agent, forms] of surveys) {
  if (Object.keys(forms).length === 0) continue;
  const file = join(agentsFolder, agent, "fields.json");
  const all = object(parseJson(readFileSync(file, "utf8"))) ?? {};
  const now = Object.fromEntries(Object.entries(forms).map(([form, survey]) => [form, written(survey)]));
  writeFileSync(file, `${JSON.stringify({ ...all, ...now }, null, 2)}\n`);
  for (const [form, { otherKinds }] of Object.entries(forms))
    for (const [kind, count] of otherKinds) console.log(`${agent} ${form}: not listed: ${kind} (${count})`);
}
