import type { Summary } from "../../engine/summary.ts";
import { html, type Markup } from "./markup.ts";
import { counted } from "./number.ts";
import { table } from "./table.ts";

/** Faults by kind and endpoint, the most frequent first, with what was said the first time. */
export function errorTable({ errors }: Summary): Markup | undefined {
  return table(
    [
      { title: "Kind", cell: ({ kind }) => html`<code>${kind}</code>` },
      { title: "Count", cell: ({ count }) => counted(count) },
      { title: "Request", cell: ({ name }) => html`<code>${name}</code>` },
      { title: "Scenario", cell: ({ scenario }) => scenario },
      { title: "First message", cell: ({ message }) => message },
    ],
    errors,
    { caption: "Errors by kind", sortable: true },
  );
}
