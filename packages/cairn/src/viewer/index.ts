export { missingPage, type Page, runPage } from "./page.ts";
export type { RunView, SpanView, StatsView } from "../run/view.ts";
