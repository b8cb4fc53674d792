const NANO = 1_000_000_000;
const NANO_DIGITS = 9;

/** An amount in whole nano-dollars, to the last digit that says something: `$0.013317`, `$12.50`. */
export const exactUsd = (nanoUsd: number): string => {
  const fraction = String(Math.abs(nanoUsd) % NANO).padStart(NANO_DIGITS, "0");
  return `${dollars(nanoUsd)}.${fraction.replace(/0{1,7}$/, "")}`;
};

/** The same in four decimals, for a column: `$0.0133`. What is less than the last decimal is `<$0.0001`. */
export const shortUsd = (nanoUsd: number): string => {
  const unit = NANO / 10_000;
  if (nanoUsd > 0 && nanoUsd < unit) return "<$0.0001";
  const rounded = Math.round(nanoUsd / unit) * unit;
  return `${dollars(rounded)}.${String(Math.abs(rounded) % NANO)
    .padStart(NANO_DIGITS, "0")
    .slice(0, 4)}`;
};

const dollars = (nanoUsd: number): string =>
  `${nanoUsd < 0 ? "-" : ""}$${grouped(Math.trunc(Math.abs(nanoUsd) / NANO))}`;

/** A whole number with `,` between thousands. */
export const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/** `840 ms`, `12.3 s`, `4m 05s`, `2h 03m`. */
export const duration = (ms: number): string => {
  if (ms < 1000) return `${ms} ms`;
  // Down, so that 59.96 s does not read as 60.0 s.
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${two(Math.floor(seconds / 60) % 60)}m`;
};
