import type { Summary } from "../../engine/summary/summary.ts";
import { causesFirst } from "../summary_stats.ts";
import { type Markup, markup } from "./markup.ts";
import { countCell, htmlTable } from "./html_table.ts";

/**
 * Creates a table of the errors by kind and endpoint, with the first message of each. Errors of
 * unsent requests come last. Returns undefined if there are no errors.
 */
export function errorTable({ errors }: Pick<Summary, "errors">): Markup | undefined {
  return htmlTable(
    [
      { title: "Kind", cell: ({ kind }) => markup`<code>${kind}</code>` },
      { title: "Count", cell: ({ count }) => countCell(count) },
      { title: "Request", cell: ({ name }) => markup`<code>${name}</code>` },
      { title: "Scenario", cell: ({ scenario }) => scenario },
      { title: "First message", cell: ({ message }) => message },
    ],
    causesFirst(errors),
    { caption: "Errors by kind", sortable: true },
  );
}
