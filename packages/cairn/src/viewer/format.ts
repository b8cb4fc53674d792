/** `950 ms`, `1.2 s`, `3 min 04 s`, `2 h 05 min`. */
export const formatDuration = (ms: number): string => {
  if (ms < 1000) return `${ms} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} min`;
};

/** A number with thin groups of three: `12 345`. */
export const formatCount = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, "\u202F");

/** Bytes as `512 B`, `1.5 KiB`, `20.0 MiB`. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`;
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib.toFixed(1)} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
};

/** `2026-11-30 21:07:40 UTC` */
export const formatTime = (timestamp: string): string =>
  timestamp.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");

const pad = (value: number): string => String(value).padStart(2, "0");
