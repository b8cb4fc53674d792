import { readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";

/** One import of a source file, type imports and re-exports included. */
export interface ImportSite {
  file: string;
  line: number;
  specifier: string;
}

/** Every module that a file names: static and dynamic imports with a literal, and `export … from`. */
export const importsOf = (file: string): ImportSite[] => {
  const text = readFileSync(file, "utf8");
  const { module } = parseSync(file, text);
  const at = (start: number, specifier: string): ImportSite => ({
    file,
    line: text.slice(0, start).split("\n").length,
    specifier,
  });
  const fromExports = module.staticExports
    .flatMap((statement) => statement.entries)
    .flatMap((entry) => (entry.moduleRequest ? [entry.moduleRequest] : []));
  const dynamic = module.dynamicImports.flatMap(({ moduleRequest }) => {
    const source = text.slice(moduleRequest.start, moduleRequest.end);
    const literal = /^["'](.*)["']$/.exec(source)?.[1];
    return literal === undefined ? [] : [at(moduleRequest.start, literal)];
  });
  return [
    ...module.staticImports.map(({ moduleRequest }) => at(moduleRequest.start, moduleRequest.value)),
    ...fromExports.map((request) => at(request.start, request.value)),
    ...dynamic,
  ];
};
