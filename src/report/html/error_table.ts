import type { Summary } from "../../engine/summary/summary.ts";
import { html, type Markup } from "./markup.ts";
import { countCell, htmlTable } from "./html_table.ts";

/** Lists errors by kind and endpoint, most frequent first, with the first message of each. */
export function errorTable({ errors }: Summary): Markup | undefined {
  return htmlTable(
    [
      { title: "Kind", cell: ({ kind }) => html`<code>${kind}</code>` },
      { title: "Count", cell: ({ count }) => countCell(count) },
      { title: "Request", cell: ({ name }) => html`<code>${name}</code>` },
      { title: "Scenario", cell: ({ scenario }) => scenario },
      { title: "First message", cell: ({ message }) => message },
    ],
    errors,
    { caption: "Errors by kind", sortable: true },
  );
}
