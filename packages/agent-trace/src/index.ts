export type * from "./agent.ts";
export type * from "./item.ts";
export type * from "./reader.ts";
