import { type Content, type Markup, markup } from "./markup.ts";
import type { Unit } from "../compare/unit.ts";
import { bytes, count, formatNumber, percent, perSecond, time } from "../../base/format.ts";

/** A cell that shows a formatted number and also contains its exact value. */
export type NumberCell = HtmlCell & { readonly value: number };

const numberCell =
  (write: (n: number) => string) => (value: number, tone?: HtmlCell["tone"]): NumberCell =>
    tone === undefined ? { content: write(value), value } : { content: write(value), value, tone };

/** Creates a cell for a count. */
export const countCell: (n: number, tone?: HtmlCell["tone"]) => NumberCell = numberCell(count);

/** Creates a cell for a time in milliseconds. */
export const timeCell: (ms: number, tone?: HtmlCell["tone"]) => NumberCell = numberCell(time);

/** Creates a cell for a share from 0 to 1, shown as a percentage. */
export const shareCell: (share: number, tone?: HtmlCell["tone"]) => NumberCell = numberCell(
  percent,
);

/** Creates a cell for a rate per second. */
export const rateCell: (n: number, tone?: HtmlCell["tone"]) => NumberCell = numberCell(perSecond);

/** Creates a cell for a number of bytes. */
export const sizeCell: (n: number, tone?: HtmlCell["tone"]) => NumberCell = numberCell(bytes);

/** Creates a cell for a number without a unit. */
const statCell: (n: number, tone?: HtmlCell["tone"]) => NumberCell = numberCell(
  formatNumber,
);

const UNIT_CELLS = { count: countCell, number: statCell, share: shareCell, time: timeCell };

/** Creates a cell for a value in a unit. */
export function unitCell(value: number, unit: Unit): NumberCell {
  return UNIT_CELLS[unit](value);
}

/**
 * A table cell. If the table is sorted by its column, rows are ordered by `value`. A column is
 * right-aligned if its cells have a `value`.
 */
export interface HtmlCell {
  readonly content: Content;
  readonly value?: number;
  /** Color of the cell. */
  readonly tone?: "good" | "open" | "bad" | "faint";
}

/** A column of a table. The cells of the first column are row headers. */
export interface HtmlColumn<Row> {
  readonly title: string;
  /** Returns the cell of the last row, which shows the total. Absent if the column has no total. */
  readonly total?: (rows: readonly Row[]) => HtmlCell | Content;
  /** Tooltip of the column's title. */
  readonly hint?: string;
  readonly cell: (row: Row) => HtmlCell | Content;
  /**
   * Reports whether to show the column in a table with these rows. If absent, the column is always
   * shown.
   */
  readonly isShown?: (rows: readonly Row[]) => boolean;
}

/** Caption and interactive controls of a table. */
export interface TableLook {
  readonly caption: string;
  /** True if readers can sort the table by a column (default: false). */
  readonly sortable?: boolean;
  /** Placeholder of the search field. If absent, the table has no search field. */
  readonly filter?: string;
  /** Text that a search covers: the row headers (`names`, the default), or whole rows (`rows`). */
  readonly filters?: "names" | "rows";
  /**
   * Number of rows to show until the reader expands the table or searches. If absent, a table with
   * more than 50 rows shows 10, and other tables show all rows.
   */
  readonly first?: number;
  /** Title of the column by which the rows are sorted, highest first. */
  readonly sortedBy?: string;
  /** Prefix for the ids of the rows, which are numbered from 0. If absent, the rows have no ids. */
  readonly rowIds?: string;
}

/** Maximum number of rows in a table that initially shows all its rows. */
const MAX_ROWS = 50;
/** Number of rows that a table with more than 50 rows shows at first. */
const FIRST_ROWS = 10;

/**
 * Creates a table, which scrolls horizontally if it is too wide. Returns undefined if there are no
 * rows.
 */
export function htmlTable<Row>(
  allColumns: readonly HtmlColumn<Row>[],
  rows: readonly Row[],
  { caption, sortable = false, filter, filters = "names", sortedBy, rowIds, ...look }: TableLook,
): Markup | undefined {
  if (rows.length === 0) return undefined;
  const first = look.first ?? (rows.length > MAX_ROWS ? FIRST_ROWS : Infinity);
  const columns = allColumns.filter(({ isShown }) => isShown?.(rows) ?? true);
  const cells = rows.map((row) => columns.map(({ cell }) => asCell(cell(row))));
  const sides = columns.map((_, i) => cells.some((row) => row[i].value !== undefined) ? "n" : "");
  const heads = columns.map(({ title, hint }, i) => {
    const side = sides[i];
    if (!sortable) return markup`<th scope="col" class="${side}" title="${hint}">${title}</th>`;
    return markup`
      <th scope="col" class="${side}" title="${hint}" aria-sort="${
      title === sortedBy ? "descending" : "none"
    }">
        <button type="button">${title}</button>
      </th>
    `;
  });
  const totals = columns.some(({ total }) => total !== undefined) && rows.length > 1
    ? markup`<tfoot>${
      renderRow(columns.map(({ total }) => asCell(total?.(rows) ?? "")), sides)
    }</tfoot>`
    : undefined;
  const search = filter === undefined ? undefined : markup`
    <input type="search" placeholder="${filter}" aria-label="${filter}" data-filters="${filters}">
  `;
  return markup`
    ${search}
    <div class="scroll" tabindex="0" role="region" aria-label="${caption}">
      <table${sortable ? markup` class="sortable"` : undefined}${
    first < rows.length ? markup` data-first="${first}"` : undefined
  }>
        <thead>
          <tr>${heads}</tr>
        </thead>
        <tbody>
          ${cells.map((row, i) => renderRow(row, sides, rowIds && `${rowIds}-${i}`))}
        </tbody>
        ${totals}
      </table>
    </div>
  `;
}

function renderRow(
  [name, ...rest]: readonly HtmlCell[],
  [side, ...sides]: readonly string[],
  id?: string,
): Markup {
  return markup`
    <tr${id && markup` id="${id}"`}><th scope="row"${attributes(name, side)}>${name.content}</th>${
    rest.map((cell, i) => markup`<td${attributes(cell, sides[i])}>${cell.content}</td>`)
  }</tr>
  `;
}

function attributes({ value, tone }: HtmlCell, side: string): Markup {
  const classes = [side, tone ?? ""].join(" ").trim();
  const style = classes === "" ? undefined : markup` class="${classes}"`;
  const number = value === undefined ? undefined : markup` data-value="${value}"`;
  return markup`${style}${number}`;
}

function asCell(cell: HtmlCell | Content): HtmlCell {
  const isCell = typeof cell === "object" && "content" in cell;
  return isCell ? cell : { content: cell as Content };
}
