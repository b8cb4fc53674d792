/** ISO 8601, UTC, milliseconds. */
export const isoTime = (epochMs: number): string =>
  // Converts a time that is handed in; the clock is not looked at.
  // oxlint-disable-next-line no-restricted-globals -- see above
  new Date(epochMs).toISOString();

/** Milliseconds since 1970 of an ISO 8601 time; NaN for other text. */
export const epochOf = (iso: string): number =>
  // oxlint-disable-next-line no-restricted-globals -- as above
  Date.parse(iso);
