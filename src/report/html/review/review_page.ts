import { plural } from "../../../base/format.ts";
import { document, htmlSection } from "../document.ts";
import { type HtmlColumn, htmlTable } from "../html_table.ts";
import { type Markup, markup } from "../markup.ts";
import { callTable } from "./call_table.ts";
import { ratedCell } from "./rating.ts";
import type { Rating, Review, ReviewDifference, ReviewNote } from "./review.ts";
import { ReviewLinks } from "./review_links.ts";
import { code } from "./shown_text.ts";
import { valueTable } from "./value_table.ts";

const MARKS: Readonly<Record<Rating, string>> = { good: "✓", open: "?", bad: "✗" };

/** Renders a review as a self-contained HTML page, which needs neither a network nor scripts. */
export async function reviewPage(review: Review): Promise<string> {
  const { title, calls, values, differences, notes } = review;
  const links = new ReviewLinks(review);
  return await document({
    title: `${title}: rehearse`,
    body: [
      head(review),
      htmlSection("Calls", callTable(review, links), CALLS_NOTE),
      htmlSection("Values", valueTable(values, links), VALUES_NOTE),
      htmlSection("Differences", differenceTable(differences, links)),
      htmlSection("Notes", noteTable(notes, links)),
      calls.length === 0 ? markup`<p class="note">The plan has no recorded calls.</p>` : undefined,
    ],
  });
}

const CALLS_NOTE = "The calls in recorded order. “Entry” is the number of the entry in the HAR.";
const VALUES_NOTE =
  "Where each value comes from, where it is sent, and the change to make in the plan.";

function head({ title, rating, verdict, facts, calls, values, differences }: Review): Markup {
  const counts = [
    plural(calls.length, "call"),
    plural(values.length, "value"),
    plural(differences.length, "difference"),
  ];
  return markup`
    <header>
      <p class="verdict ${rating}"><strong aria-hidden="true">${
    MARKS[rating]
  }</strong> ${verdict}</p>
      <h1>${title}</h1>
      <p class="faint">${counts.join(", ")}</p>
    </header>
    ${facts.map((fact) => markup`<p>${fact}</p>`)}
  `;
}

function differenceTable(
  differences: readonly ReviewDifference[],
  links: ReviewLinks,
): Markup | undefined {
  const text = (value: string | undefined) => value === undefined ? "-" : code(value);
  const columns: HtmlColumn<ReviewDifference>[] = [
    { title: "Call", cell: ({ call }) => links.call(call) },
    { title: "What", cell: ({ what }) => code(what) },
    {
      title: "Recorded",
      cell: ({ recorded }) => text(recorded),
      isShown: (rows) => rows.some(({ recorded }) => recorded !== undefined),
    },
    {
      title: "Actual",
      cell: ({ actual }) => text(actual),
      isShown: (rows) => rows.some(({ actual }) => actual !== undefined),
    },
    {
      title: "Times",
      cell: ({ count = 1 }) => ({ content: String(count), value: count }),
      isShown: (rows) => rows.some(({ count = 1 }) => count > 1),
    },
  ];
  return htmlTable(columns, differences, {
    caption: "Differences",
    sortable: true,
    filter: "Search differences",
    filters: "rows",
  });
}

function noteTable(notes: readonly ReviewNote[], links: ReviewLinks): Markup | undefined {
  return htmlTable<ReviewNote>(
    [
      { title: "Note", cell: ({ kind }) => code(kind) },
      { title: "Level", cell: ({ rating }) => ratedCell(LEVELS[rating], rating) },
      { title: "Subject", cell: ({ subject }) => links.call(subject) },
      { title: "Message", cell: ({ message }) => message },
    ],
    notes,
    { caption: "Notes", sortable: true, filter: "Search notes", filters: "rows" },
  );
}

const LEVELS: Readonly<Record<Rating, string>> = { good: "info", open: "warning", bad: "problem" };
