/** `0.4s`, `12s`, `3m05s`, `2h04m`, `3d01h`. */
export const showDuration = (ms: number): string => {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  const pad = (value: number): string => String(value).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${pad(seconds % 60)}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h${pad(Math.floor((seconds % 3600) / 60))}m`;
  return `${Math.floor(seconds / 86_400)}d${pad(Math.floor((seconds % 86_400) / 3600))}h`;
};

/** Dollars with as many decimals as small amounts need: `$1.24`, `$0.0133`, `<$0.0001`. */
export const showCost = (nanoUsd: number): string => {
  const usd = nanoUsd / 1e9;
  if (nanoUsd === 0 || usd >= 1) return `$${usd.toFixed(2)}`;
  return usd < 0.0001 ? "<$0.0001" : `$${usd.toFixed(4)}`;
};

/** `950`, `12.3k`, `4.5M`. */
export const showCount = (count: number): string => {
  if (count < 1000) return String(count);
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1e6).toFixed(1)}M`;
};

/** Local time: the hour of a moment of today, else its date too. */
export const showMoment = (iso: string, now: number): string => {
  const at = new Date(iso);
  const pad = (value: number): string => String(value).padStart(2, "0");
  const clock = `${pad(at.getHours())}:${pad(at.getMinutes())}`;
  if (at.toDateString() === new Date(now).toDateString()) return `${clock}:${pad(at.getSeconds())}`;
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())} ${clock}`;
};
