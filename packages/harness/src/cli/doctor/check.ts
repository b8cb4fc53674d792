/** One thing that was looked at. */
export interface Check {
  name: string;
  status: "ok" | "warn" | "error";
  detail: string;
  /** What to do, where something is not right. */
  hint?: string;
}
