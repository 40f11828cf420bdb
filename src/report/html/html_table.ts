import { type Content, html, type Markup } from "./markup.ts";

/** One cell; with a value it is a number: aligned right, and sorted by the value. */
export interface HtmlCell {
  readonly content: Content;
  readonly value?: number;
  /** How it stands out. */
  readonly tone?: "good" | "bad" | "faint";
}

/** A column of a table whose rows are made from `Row`. The first one names its row. */
export interface HtmlColumn<Row> {
  readonly title: string;
  /** What the title means, where it is short. */
  readonly hint?: string;
  readonly cell: (row: Row) => HtmlCell | Content;
}

/** How a table is told and used. */
export interface TableLook {
  readonly caption: string;
  /** Its columns can be sorted by. */
  readonly sortable?: boolean;
  /** Its rows can be looked for by their text. */
  readonly filter?: string;
}

/** A table, scrolling by itself where it is too wide; nothing without rows. */
export function htmlTable<Row>(
  columns: readonly HtmlColumn<Row>[],
  rows: readonly Row[],
  { caption, sortable = false, filter }: TableLook,
): Markup | undefined {
  if (rows.length === 0) return undefined;
  const cells = rows.map((row) => columns.map(({ cell }) => asCell(cell(row))));
  const sides = columns.map((_, i) => cells.some((row) => row[i].value !== undefined) ? "n" : "");
  const heads = columns.map(({ title, hint }, i) => {
    const side = sides[i];
    if (!sortable) return html`<th scope="col" class="${side}" title="${hint}">${title}</th>`;
    return html`<th scope="col" class="${side}" title="${hint}" aria-sort="none"><button
      type="button">${title}</button></th>`;
  });
  const search = filter === undefined ? undefined : html`
    <input type="search" placeholder="${filter}" aria-label="${filter}">
  `;
  return html`
    ${search}
    <div class="scroll" tabindex="0" role="region" aria-label="${caption}">
      <table${sortable
        ? html`
          class="sortable"
        `
        : undefined}>
        <thead>
          <tr>${heads}</tr>
        </thead>
        <tbody>${cells.map((row) => renderRow(row, sides))}</tbody>
        </table>
        </div>
  `;
}

function renderRow([name, ...rest]: readonly HtmlCell[], [, ...sides]: readonly string[]): Markup {
  return html`
    <tr><th scope="row">${name.content}</th>${rest.map((cell, i) => data(cell, sides[i]))}</tr>
  `;
}

function data({ content, value, tone }: HtmlCell, side: string): Markup {
  const classes = [side, tone ?? ""].join(" ").trim();
  const style = classes === "" ? undefined : html`
    class="${classes}"
  `;
  const number = value === undefined ? undefined : html`
    data-value="${value}"
  `;
  return html`<td${style}${number}>${content}</td>`;
}

function asCell(cell: HtmlCell | Content): HtmlCell {
  const isCell = typeof cell === "object" && "content" in cell;
  return isCell ? cell : { content: cell as Content };
}
