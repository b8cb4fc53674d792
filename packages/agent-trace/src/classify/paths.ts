import { posix } from "node:path";
import type { OutsideTouch, Target, Touch } from "../item.ts";

/** Most files one call is said to touch. */
const touchLimit = 200;
const strength: Readonly<Record<Touch, number>> = { hit: 0, read: 1, edit: 2 };

/**
 * The files that one call touches, each once with its strongest touch: inside the working directory relative to it,
 * outside of it by where they lie.
 */
export class TouchList {
  readonly #cwd: string | undefined;
  readonly #home: string | undefined;
  #directory: string | undefined;
  readonly #targets = new Map<string, Target>();
  readonly #outside = new Map<string, OutsideTouch>();
  readonly #written: string[] = [];

  constructor(context: { cwd?: string | undefined; home?: string | undefined }) {
    this.#cwd = context.cwd === undefined ? undefined : posix.normalize(context.cwd);
    this.#home = context.home === undefined ? undefined : posix.normalize(context.home);
    this.#directory = this.#cwd;
  }

  /** The paths that come are relative to this directory (`cd x && …`). */
  enter(directory: string): void {
    this.#directory = this.#absolute(directory) ?? directory;
  }

  /** `path` as the call wrote it. Addresses, options and patterns of devices are no files. */
  add(path: string, touch: Touch, lines?: [number, number]): void {
    if (path === "" || path.length > 4096 || path.includes("\n") || /^[a-z][a-z0-9+.-]*:\/\//i.test(path))
      return;
    if (/^\/dev\/(?:null|std(?:in|out|err)|tty|fd\/\d+)$/.test(path)) return;
    this.#written.push(path);
    const absolute = this.#absolute(path);
    if (absolute === undefined) this.#addTarget(posix.normalize(path.replace(/^\.\//, "")), touch, lines);
    else this.#place(absolute, touch, lines);
  }

  #absolute(path: string): string | undefined {
    if (path === "~" || path.startsWith("~/")) {
      return posix.join(this.#home ?? "/~", path.slice(1));
    }
    if (path.startsWith("/")) return posix.normalize(path);
    return this.#directory === undefined ? undefined : posix.join(this.#directory, path);
  }

  #place(absolute: string, touch: Touch, lines: [number, number] | undefined): void {
    const inside = this.#cwd === undefined ? undefined : below(absolute, this.#cwd);
    if (inside !== undefined) {
      this.#addTarget(inside, touch, lines);
      return;
    }
    const known = this.#outside.get(absolute);
    if (known !== undefined && strength[known.touch] >= strength[touch]) return;
    if (known === undefined && this.#outside.size >= touchLimit) return;
    this.#outside.set(absolute, { path: absolute, scope: this.#scope(absolute), touch });
  }

  #scope(absolute: string): OutsideTouch["scope"] {
    if (["/tmp", "/var/tmp", "/private/tmp", "/dev/shm"].some((dir) => below(absolute, dir) !== undefined))
      return "tmp";
    if (absolute.startsWith("/~")) return "home";
    return this.#home !== undefined && below(absolute, this.#home) !== undefined ? "home" : "other";
  }

  #addTarget(path: string, touch: Touch, lines: [number, number] | undefined): void {
    const known = this.#targets.get(path);
    if (known === undefined && this.#targets.size >= touchLimit) return;
    const ranges = [...(known?.lines ?? []), ...(lines === undefined ? [] : [lines])];
    const strongest = known !== undefined && strength[known.touch] > strength[touch] ? known.touch : touch;
    this.#targets.set(path, { path, touch: strongest, ...(ranges.length === 0 ? {} : { lines: ranges }) });
  }

  targets(): Target[] {
    return [...this.#targets.values()];
  }

  outside(): OutsideTouch[] {
    return [...this.#outside.values()];
  }

  /** The paths as the call wrote them. */
  written(): readonly string[] {
    return this.#written;
  }
}

/** The path relative to the folder, `.` for the folder itself; undefined when it lies elsewhere. */
const below = (path: string, folder: string): string | undefined => {
  if (path === folder) return ".";
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
};
