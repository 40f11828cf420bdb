import { type HtmlColumn, htmlTable } from "../html_table.ts";
import { type Markup, markup } from "../markup.ts";
import { ratedCell } from "./rating.ts";
import type { Review, ReviewCall } from "./review.ts";
import type { ReviewLinks } from "./review_links.ts";
import { code } from "./shown_text.ts";

/** Creates the table of the calls in recorded order. Returns undefined if there are no calls. */
export function callTable({ calls }: Review, links: ReviewLinks): Markup | undefined {
  const columns: HtmlColumn<ReviewCall>[] = [
    {
      title: "Entry",
      hint: "Number of the entry in the HAR",
      cell: ({ name, entry }) => ({
        content: markup`<a id="${links.callId(name)}">${entry ?? "-"}</a>`,
        value: entry ?? 0,
      }),
    },
    { title: "Method", cell: ({ method }) => code(method, 20) },
    { title: "URL", cell: ({ url }) => code(url) },
    {
      title: "Status",
      hint: "Recorded status",
      cell: ({ status }) => ({ content: status ?? "-", value: status ?? 0 }),
    },
    { title: "Result", cell: ({ result, rating }) => ratedCell(result, rating) },
    {
      title: "Sends",
      hint: "Values that the request sends",
      cell: ({ name }) => links.sent(name) ?? "-",
    },
    {
      title: "Returns",
      hint: "Values that the response contains",
      cell: ({ name }) => links.returned(name) ?? "-",
    },
    {
      title: "Reason",
      cell: ({ reason }) => reason ?? "-",
      isShown: (rows) => rows.some(({ reason }) => reason !== undefined),
    },
  ];
  return htmlTable(columns, calls, {
    caption: "Calls",
    sortable: true,
    filter: "Search calls",
    filters: "rows",
  });
}
