import { type Content, lines, type Markup, markup } from "../markup.ts";
import { type HtmlColumn, htmlTable } from "../html_table.ts";
import { ratedCell } from "./rating.ts";
import type { ReviewPlace, ReviewValue } from "./review.ts";
import type { ReviewLinks } from "./review_links.ts";
import { code } from "./shown_text.ts";

/**
 * Maximum number of entries that are always visible in the list of places to which a value is sent.
 * Readers can expand the rest.
 */
const SHOWN_PLACES = 5;

/** Creates the table of values on a review page. Returns undefined if there are no values. */
export function valueTable(
  values: readonly ReviewValue[],
  links: ReviewLinks,
): Markup | undefined {
  const columns: HtmlColumn<ReviewValue>[] = [
    {
      title: "Value",
      cell: (value) => markup`<a id="${links.valueId(value)}"></a>${valueText(value)}`,
    },
    { title: "Result", cell: ({ result, rating }) => ratedCell(result, rating) },
    { title: "From", cell: ({ from }) => from === undefined ? "-" : links.place(from) },
    { title: "To", cell: ({ to }) => placeList(to, links) },
    {
      title: "Reason",
      cell: ({ reason }) => reason ?? "-",
      isShown: (rows) => rows.some(({ reason }) => reason !== undefined),
    },
    {
      title: "Edit",
      hint: "Change to make in the plan",
      cell: ({ edit }) =>
        edit === undefined
          ? "-"
          : markup`<pre class="edit" tabindex="0"><code>${lines(edit)}</code></pre>`,
      isShown: (rows) => rows.some(({ edit }) => edit !== undefined),
    },
  ];
  return htmlTable(columns, values, {
    caption: "Values",
    sortable: true,
    filter: "Search values",
    filters: "rows",
  });
}

function valueText({ variable, recorded, live }: ReviewValue): Content {
  const parts: Markup[] = [];
  if (variable !== undefined) parts.push(code(`\${${variable}}`));
  if (recorded !== undefined) {
    parts.push(live === undefined ? code(recorded) : recordedText(recorded));
  }
  if (live !== undefined) parts.push(markup`live ${code(live)}`);
  return parts.length === 0 ? "-" : parts.map((part, i) => i === 0 ? part : markup`<br>${part}`);
}

function recordedText(recorded: string): Markup {
  return markup`recorded ${code(recorded)}`;
}

function placeList(places: readonly ReviewPlace[], links: ReviewLinks): Content {
  if (places.length === 0) return "-";
  const items = places.map((place) => markup`<li>${links.place(place)}</li>`);
  const list = markup`<ul>${items.slice(0, SHOWN_PLACES)}</ul>`;
  const rest = items.slice(SHOWN_PLACES);
  if (rest.length === 0) return list;
  return markup`${list}<details><summary>${rest.length} more</summary><ul>${rest}</ul></details>`;
}
