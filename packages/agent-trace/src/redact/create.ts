import { createHash, createHmac } from "node:crypto";
import { formsOf, knownValues } from "./context/known.ts";
import { indexWith } from "./engine/index.ts";
import { maskRanges } from "./engine/ranges.ts";
import { Scanner } from "./engine/scan.ts";
import { maskJsonLine } from "./json/line.ts";
import { maskJsonValue } from "./json/value.ts";
import type { Finding, Redactor, RedactorOptions } from "./redactor.ts";
import { BUILT_IN } from "./rules/all.ts";
import { HASH } from "./rules/compiled.ts";
import { fileDetectors } from "./rules/user.ts";
import { createLines } from "./stream/lines.ts";
import { createStream } from "./stream/stream.ts";

/** Makes a redactor over the built-in rules, known values and rule files. It takes some milliseconds: make one. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const files = options.rules === undefined ? [] : [options.rules].flat();
  const known = knownValues(formsOf(options.values ?? []));
  const ofFiles = fileDetectors(files);
  const scanner = new Scanner(
    indexWith({
      called: [...known.called, ...ofFiles.called],
      everywhere: [...known.everywhere, ...ofFiles.everywhere],
    }),
  );
  const idPaths = (options.idPaths ?? []).map((path) => path.split("."));
  const json = { scanner, idPaths, keys: new Map() };

  const redact = (text: string): string => {
    const ranges = scanner.find(text);
    return ranges.length === 0 ? text : maskRanges(text, ranges);
  };
  const jsonLine = (line: string): string => maskJsonLine(line, json);
  const whole = { redact, jsonLine, mayOpenKey: (line: string) => scanner.mayOpenKey(line) };
  let tooLong = 0;
  const onTooLong = (): void => {
    tooLong += 1;
  };
  return {
    redact,
    findings: (text) => scanner.find(text).map((range) => finding(text, range, options.fingerprintKey)),
    jsonLine,
    value: (value) => maskJsonValue(value, json),
    lines: (state) => createLines(whole, state),
    stream: (streamOptions) => createStream(createLines(whole), { ...streamOptions, onTooLong }),
    version: {
      set: BUILT_IN.version,
      hash:
        files.length === 0
          ? HASH
          : createHash("sha256")
              .update(HASH + JSON.stringify(files))
              .digest("hex")
              .slice(0, 16),
    },
    get overBudget() {
      return scanner.overBudget + tooLong;
    },
  };
}

function finding(text: string, range: Finding, key: string | Uint8Array | undefined): Finding {
  if (key === undefined) return range;
  const secret = text.slice(range.start, range.end);
  const fingerprint = createHmac("sha256", key).update(secret).digest("hex").slice(0, 16);
  return { ...range, fingerprint };
}
