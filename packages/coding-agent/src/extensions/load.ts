import type { ExtensionFactory } from "./runner.ts";

/** An extension with the name it is known by, and where it came from (`inline` unless told). */
export interface NamedExtension {
  name: string;
  source?: string;
  factory: ExtensionFactory;
}

/** An extension that is loaded. */
export interface LoadedExtension {
  name: string;
  source: string;
}

/** Gives factories without a name their number. */
export const nameExtensions = (
  extensions: readonly (ExtensionFactory | NamedExtension)[],
): Required<NamedExtension>[] =>
  extensions.map((extension, index) =>
    typeof extension === "function"
      ? { name: `inline-${index + 1}`, source: "inline", factory: extension }
      : { source: "inline", ...extension },
  );
