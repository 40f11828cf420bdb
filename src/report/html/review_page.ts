import { plural } from "../../base/format.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import {
  type Banner,
  type Cell,
  type CellContent,
  type Column,
  type Section,
  tableSection,
} from "../blocks.ts";
import { lines, type Markup, markup } from "../markup.ts";
import { document } from "./print_html.ts";
import type {
  Rating,
  Review,
  ReviewCall,
  ReviewDifference,
  ReviewNote,
  ReviewPlace,
  ReviewValue,
} from "../text/review.ts";

const MARKS: Readonly<Record<Rating, string>> = { good: "✓", open: "?", bad: "✗" };

const CALLS_NOTE = "The calls in recorded order. “Entry” is the number of the entry in the HAR.";
const VALUES_NOTE =
  "Where each value comes from, where it is sent, and the change to make in the plan.";

/** Renders a review as a self-contained HTML page, which needs neither a network nor scripts. */
export async function reviewPage(review: Review): Promise<string> {
  const { title, calls, values, differences, notes } = review;
  const links = new CallLinks(calls);
  const look = (what: string) =>
    ({ sortable: true, filter: `Search ${what}`, filters: "rows" }) as const;
  const sections: Section[] = [
    tableSection("Calls", callColumns(links), calls, { ...look("calls"), note: CALLS_NOTE }),
    tableSection("Values", valueColumns(links), values, { ...look("values"), note: VALUES_NOTE }),
    tableSection("Differences", differenceColumns(links), differences, look("differences")),
    tableSection("Notes", noteColumns(links), notes, look("notes")),
  ];
  const empty = calls.length === 0
    ? markup`<p class="note">The plan has no recorded calls.</p>`
    : undefined;
  return await document({
    title: `${title}: rehearse`,
    blocks: [
      reviewBanner(review),
      { page: markup`${review.facts.map((fact) => markup`<p>${fact}</p>`)}` },
      ...sections,
      { page: empty },
    ],
  });
}

function reviewBanner({ title, rating, verdict, calls, values, differences }: Review): Banner {
  const counts = [
    plural(calls.length, "call"),
    plural(values.length, "value"),
    plural(differences.length, "difference"),
  ];
  return {
    banner: MARKS[rating],
    tone: rating,
    text: verdict,
    title,
    more: markup`<p class="faint">${counts.join(", ")}</p>`,
  };
}

function callColumns(links: CallLinks): Column<ReviewCall>[] {
  return [
    {
      title: "Entry",
      hint: "Number of the entry in the HAR",
      cell: ({ name, entry }) => ({
        text: "",
        page: markup`<a id="${links.idOf(name)}">${entry ?? "-"}</a>`,
        value: entry ?? 0,
      }),
    },
    { title: "Method", cell: ({ method }) => code(method, 20) },
    { title: "URL", cell: ({ url }) => code(url) },
    {
      title: "Status",
      hint: "Recorded status",
      cell: ({ status }) => ({ text: String(status ?? "-"), value: status ?? 0 }),
    },
    { title: "Result", cell: ({ result, rating }) => ratedCell(result, rating) },
    { ...ifAny<ReviewCall>("reason"), title: "Reason", cell: ({ reason = "-" }) => reason },
  ];
}

function valueColumns(links: CallLinks): Column<ReviewValue>[] {
  return [
    { title: "Value", cell: valueText },
    { title: "Result", cell: ({ result, rating }) => ratedCell(result, rating) },
    { title: "From", cell: ({ from }) => from === undefined ? "-" : links.place(from) },
    { title: "To", cell: ({ to }) => placeList(to, links) },
    { ...ifAny<ReviewValue>("reason"), title: "Reason", cell: ({ reason = "-" }) => reason },
    {
      ...ifAny<ReviewValue>("edit"),
      title: "Edit",
      hint: "Change to make in the plan",
      cell: ({ edit }) =>
        edit === undefined
          ? "-"
          : markup`<pre class="edit" tabindex="0"><code>${lines(edit)}</code></pre>`,
    },
  ];
}

function differenceColumns(links: CallLinks): Column<ReviewDifference>[] {
  const text = (value: string | undefined) => value === undefined ? "-" : code(value);
  return [
    { title: "Call", cell: ({ call }) => links.call(call) },
    { title: "What", cell: ({ what }) => code(what) },
    {
      ...ifAny<ReviewDifference>("recorded"),
      title: "Recorded",
      cell: ({ recorded }) => text(recorded),
    },
    { ...ifAny<ReviewDifference>("actual"), title: "Actual", cell: ({ actual }) => text(actual) },
    {
      title: "Times",
      cell: ({ count = 1 }) => ({ text: String(count), value: count }),
      isShown: (rows) => rows.some(({ count = 1 }) => count > 1),
    },
  ];
}

const LEVELS: Readonly<Record<Rating, string>> = { good: "info", open: "warning", bad: "problem" };

function noteColumns(links: CallLinks): Column<ReviewNote>[] {
  return [
    { title: "Note", cell: ({ kind }) => code(kind) },
    { title: "Level", cell: ({ rating }) => ratedCell(LEVELS[rating], rating) },
    { title: "Subject", cell: ({ subject }) => links.call(subject) },
    { title: "Message", cell: ({ message }) => message },
  ];
}

/** Shows a column only if a row has the property `key`. */
function ifAny<Row>(key: keyof Row): Pick<Column<Row>, "isShown"> {
  return { isShown: (rows) => rows.some((row) => row[key] !== undefined) };
}

function ratedCell(text: string, rating: Rating): Cell {
  return { text, tone: rating === "good" ? undefined : rating };
}

/**
 * Default maximum length of recorded text on the page, in characters. Longer text, such as a token,
 * is shortened.
 */
const LONGEST_CELL = 240;

/** Formats recorded text as code and shortens it to `max` characters. */
function code(text: string, max: number = LONGEST_CELL): Markup {
  return markup`<code>${safeSnippet(text, max)}</code>`;
}

function valueText({ variable, recorded, live }: ReviewValue): Markup | string {
  const parts: Markup[] = [];
  if (variable !== undefined) parts.push(code(`\${${variable}}`));
  if (recorded !== undefined) {
    parts.push(live === undefined ? code(recorded) : markup`recorded ${code(recorded)}`);
  }
  if (live !== undefined) parts.push(markup`live ${code(live)}`);
  if (parts.length === 0) return "-";
  return markup`${parts.map((part, i) => i === 0 ? part : markup`<br>${part}`)}`;
}

const SHOWN_PLACES = 5;

function placeList(places: readonly ReviewPlace[], links: CallLinks): CellContent {
  if (places.length === 0) return "-";
  const items = places.map((place) => markup`<li>${links.place(place)}</li>`);
  const list = markup`<ul>${items.slice(0, SHOWN_PLACES)}</ul>`;
  const rest = items.slice(SHOWN_PLACES);
  if (rest.length === 0) return list;
  return markup`${list}<details><summary>${rest.length} more</summary><ul>${rest}</ul></details>`;
}

/** Links to the rows of the calls on a page. */
class CallLinks {
  readonly #numbers: ReadonlyMap<string, number>;

  constructor(calls: readonly ReviewCall[]) {
    this.#numbers = new Map(calls.map(({ name }, i) => [name, i + 1]));
  }

  /** Returns the `id` attribute of a call's row. */
  idOf(name: string): string {
    return `call-${this.#numbers.get(name)}`;
  }

  /** Formats the name of a call, with a link to its row if it has one. */
  call(name: string): Markup {
    return this.#numbers.has(name)
      ? markup`<a href="#${this.idOf(name)}">${code(name, 100)}</a>`
      : code(name);
  }

  /** Formats the location of a value, with a link to its call. */
  place({ call, place }: ReviewPlace): Markup {
    return place === undefined
      ? this.call(call)
      : markup`${code(place, 160)} of ${this.call(call)}`;
  }
}
