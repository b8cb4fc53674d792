import type { html } from "hono/html";

/** HTML whose every inserted text has been escaped. */
export type Markup = ReturnType<typeof html>;
