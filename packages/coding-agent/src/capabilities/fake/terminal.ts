import type { TerminalTransportCapability } from "../types.ts";

export interface FakeTerminal extends TerminalTransportCapability {
  readonly writes: string[];
  readonly errors: string[];
  readonly rawModeChanges: boolean[];
  /** Everything written to the output so far. */
  output(): string;
  /** Input arrives. */
  send(data: string): void;
  /** Input ends. */
  end(): void;
  resize(columns: number, rows: number): void;
}

/** A terminal that remembers what was written. 80 by 24, no TTY and nothing on the input unless given. */
export const createFakeTerminalTransport = (
  options: { columns?: number; rows?: number; isTTY?: boolean; inputIsTTY?: boolean } = {},
): FakeTerminal => {
  const size = { columns: options.columns ?? 80, rows: options.rows ?? 24 };
  const dataListeners = new Set<(data: string) => void>();
  const endListeners = new Set<() => void>();
  const resizeListeners = new Set<() => void>();
  const writes: string[] = [];
  const errors: string[] = [];
  const rawModeChanges: boolean[] = [];
  return {
    kind: "fake",
    isTTY: options.isTTY ?? false,
    inputIsTTY: options.inputIsTTY ?? true,
    writes,
    errors,
    rawModeChanges,
    columns: () => size.columns,
    rows: () => size.rows,
    write: (data) => void writes.push(data),
    writeError: (data) => void errors.push(data),
    setRawMode: (enabled) => void rawModeChanges.push(enabled),
    onData(listener) {
      dataListeners.add(listener);
      return () => void dataListeners.delete(listener);
    },
    onEnd(listener) {
      endListeners.add(listener);
      return () => void endListeners.delete(listener);
    },
    onResize(listener) {
      resizeListeners.add(listener);
      return () => void resizeListeners.delete(listener);
    },
    output: () => writes.join(""),
    send: (data) => dataListeners.forEach((listener) => listener(data)),
    end: () => endListeners.forEach((listener) => listener()),
    resize(columns, rows) {
      Object.assign(size, { columns, rows });
      resizeListeners.forEach((listener) => listener());
    },
  };
};
