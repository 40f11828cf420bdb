import { bytes, count, formatNumber, percent, perSecond, time } from "../base/format.ts";
import { type Content, Markup } from "./markup.ts";

/**
 * A part of a report. Terminals and HTML pages each have one printer, which makes all texts safe. A
 * printer omits blocks without content.
 */
export type Block = Banner | Tiles | Charts | Section | Table | PageOnly | TerminalOnly;

/** The result and the subject of a report, at the top of a page. */
export interface Banner {
  /** Result, such as `✗ Failed`. */
  readonly banner: string;
  readonly tone?: Tone | "" | undefined;
  /** Rest of the sentence that starts with the result. */
  readonly text: Content;
  readonly title: string;
  readonly more?: Content;
}

/** Metrics as a row of numbers in large type, which only pages show. */
export interface Tiles {
  readonly tiles: readonly Tile[];
}

export interface Tile {
  readonly label: string;
  readonly cell: NumberCell;
  readonly detail?: string;
}

/** Charts side by side, which only pages show. */
export interface Charts {
  readonly charts: readonly Chart[];
}

/** A titled part of a report. */
export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
  /** Explanation, which only pages show. */
  readonly note?: string | undefined;
  /** Whether readers of a page can close the section, and its initial state. */
  readonly fold?: "open" | "closed";
}

/** A part that only pages show. */
export interface PageOnly {
  readonly page: Markup | undefined;
}

/** A part that only terminals show, as lines that are safe to print. */
export interface TerminalOnly {
  readonly lines: readonly string[];
}

/** Where a report is shown. */
export type Medium = "page" | "text";

/** Color that marks text as good, as undecided, as bad, or as less important. */
export type Tone = "good" | "open" | "bad" | "faint";

/** A cell of a table. */
export interface Cell {
  readonly text: string;
  /** Exact value. A column of values is right-aligned, and a page sorts its rows by it. */
  readonly value?: number;
  readonly tone?: Tone | undefined;
  /** True for a name from a plan or a command line, which pages show as code. */
  readonly isName?: boolean;
  /** Less important text after the text, which only pages show. */
  readonly detail?: string;
  /** Content that a page shows instead of the text. */
  readonly page?: Markup;
}

/** Content of a cell; a string is its text, and markup is for pages only. */
export type CellContent = Cell | Markup | string | undefined;

/** Title of a column, and how long texts in the column are shown. */
export interface Heading {
  readonly title: string;
  /** Tooltip of the title. */
  readonly hint?: string;
  /**
   * How a terminal shows text that does not fit: shortened (`cut`), or on a separate line (`line`).
   * `below` shows every text of the column on a line below the row.
   */
  readonly long?: "cut" | "line" | "below";
  readonly only?: Medium;
}

/** A column of a table. The cells of the first column are row headers. */
export interface Column<Row> extends Heading {
  readonly cell: (row: Row) => CellContent;
  readonly total?: (rows: readonly Row[]) => CellContent;
  /** Reports whether to show the column in a table with these rows (default: always). */
  readonly isShown?: (rows: readonly Row[]) => boolean;
}

/** Properties of a table other than its columns and rows. */
export interface TableLook {
  /**
   * Number of rows to show. A terminal counts the others; a page shows them when the reader expands
   * the table or searches (default there: 10 if there are more than 50 rows).
   */
  readonly first?: number;
  /** Line about the rows after `first` (default: their number). */
  readonly rest?: string;
  /** The only medium that shows the table. */
  readonly only?: Medium;
  /** True if readers of a page can sort the table by a column. */
  readonly sortable?: boolean;
  /** Placeholder of the search field on a page. If absent, there is no search field. */
  readonly filter?: string;
  /** Text that a search covers: the row headers (`names`, the default), or whole rows (`rows`). */
  readonly filters?: "names" | "rows";
  /** Title of the column by which the rows are sorted, highest first. */
  readonly sortedBy?: string;
  /** Prefix for the ids of the rows on a page, which are numbered from 0. */
  readonly rowIds?: string;
}

/** A table. */
export interface Table extends TableLook {
  readonly caption: string;
  readonly columns: readonly Heading[];
  readonly rows: readonly (readonly Cell[])[];
  readonly totals?: readonly Cell[];
}

/** Creates a table with a row for each of `rows`. */
export function table<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  look: TableLook = {},
): Table {
  const shown = columns.filter(({ isShown }) => isShown?.(rows) ?? true);
  const hasTotals = rows.length > 1 && shown.some(({ total }) => total !== undefined);
  return {
    ...look,
    caption,
    columns: shown,
    rows: rows.map((row) => shown.map(({ cell }) => toCell(cell(row)))),
    ...(hasTotals && { totals: shown.map(({ total }) => toCell(total?.(rows))) }),
  };
}

function toCell(content: CellContent): Cell {
  if (content === undefined) return { text: "" };
  if (typeof content === "string") return { text: content };
  return content instanceof Markup ? { text: "", page: content } : content;
}

/** Creates a section with a single table. */
export function tableSection<Row>(
  title: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { note, ...look }: TableLook & Pick<Section, "note"> = {},
): Section {
  return { title, note, blocks: [table(title, columns, rows, look)] };
}

/** Reports whether a block has content to show in a medium. */
export function isShown(block: Block, medium: Medium): boolean {
  if ("blocks" in block) return block.blocks.some((part) => isShown(part, medium));
  if ("page" in block) return medium === "page" && block.page !== undefined;
  if ("charts" in block) return medium === "page" && block.charts.length > 0;
  if ("banner" in block || "tiles" in block) return medium === "page";
  if ("lines" in block) return medium === "text" && block.lines.length > 0;
  return block.rows.length > 0 && (block.only ?? medium) === medium;
}

/** A cell that shows a formatted number and also contains its exact value. */
export type NumberCell = Cell & { readonly value: number };

const numberCell = (format: (n: number) => string) => (value: number, tone?: Tone): NumberCell => ({
  text: format(value),
  value,
  tone,
});

export const countCell: (n: number, tone?: Tone) => NumberCell = numberCell(count);

/** Creates a cell for a time in milliseconds. */
export const timeCell: (ms: number, tone?: Tone) => NumberCell = numberCell(time);

/** Creates a cell for a share from 0 to 1, shown as a percentage. */
export const shareCell: (share: number, tone?: Tone) => NumberCell = numberCell(percent);

export const rateCell: (n: number, tone?: Tone) => NumberCell = numberCell(perSecond);

export const sizeCell: (n: number, tone?: Tone) => NumberCell = numberCell(bytes);

/** Unit of a value. A `share` is from 0 to 1, and a `time` is in milliseconds. */
export type Unit = "count" | "number" | "share" | "time";

const FORMATS = { count, number: formatNumber, share: percent, time };

/** Formats a value in a unit, such as `4.32ms` or `1.20%`. */
export function inUnit(value: number, unit: Unit): string {
  return FORMATS[unit](value);
}

/** Creates a cell for a value in a unit, or `–`, which sorts last, if there is none. */
export function unitCell(value: number | undefined, unit: Unit): NumberCell {
  return value === undefined ? NO_VALUE : { text: inUnit(value, unit), value };
}

/** Cell of a column of numbers for a row that has no number. */
export const NO_VALUE: NumberCell = { text: "–", value: -1 };

/** Creates a cell for a name from a plan or a command line. */
export function nameCell(text: string, detail?: string): Cell {
  return { text, isName: true, ...(detail !== undefined && { detail }) };
}

/** Color of a line in a chart. `quiet` is the gray of reference lines. */
export type SeriesTone = "one" | "two" | "three" | "quiet" | "warn";

/** A line of a chart. */
export interface Series {
  readonly label: string;
  readonly tone: SeriesTone;
  /** One value for each value of the x-axis. Null leaves a gap in the line. */
  readonly values: readonly (number | null)[];
  readonly dashed?: boolean;
  /** True to draw steps: the line stays at each value until the next point. */
  readonly stepped?: boolean;
}

export interface Chart {
  readonly title: string;
  /** Key of the x-axis in `ChartData.axes`. */
  readonly axis: string;
  /** Unit of the values. A `rate` is per second, and a `share` is from 0 to 1. */
  readonly unit: "count" | "rate" | "ms" | "share";
  readonly series: readonly Series[];
  /** Title of the y-axis, such as `requests per second`. */
  readonly label?: string;
  /** Horizontal lines at the limits of thresholds. */
  readonly limits?: readonly Limit[];
}

/** Limit that a threshold sets, drawn as a horizontal line in a chart. */
export interface Limit {
  /** Limit in the unit of the chart. */
  readonly value: number;
  /** Threshold, such as `p(95)<400`. */
  readonly label: string;
}

/** Data for the charts on a page. The page's script draws them. */
export interface ChartData {
  /**
   * Values of each x-axis in ascending order, keyed by axis. The axis `seconds` contains seconds
   * since the start of the run, `utc` contains Unix seconds, and `percentiles` contains positions
   * as in `PercentilePoint`.
   */
  readonly axes: Readonly<Record<string, readonly number[]>>;
  readonly charts: readonly Chart[];
  /** Time zone in which the axis `utc` is labeled (default: `UTC`). */
  readonly zone?: string;
  /** Start of the run in Unix seconds. If present, the cursor also shows the time of day in UTC. */
  readonly start?: number;
  /** Details of endpoints, which the page shows on demand. */
  readonly details?: readonly EndpointDetail[];
}

/** Details of an endpoint: properties, and charts over time. */
export interface EndpointDetail {
  /** Pairs of a name and a string, such as `["p90", "12ms"]`. */
  readonly facts: readonly (readonly [name: string, text: string])[];
  /** Length of an interval in seconds. The first interval starts with the run. */
  readonly step: number;
  /** Charts with one value for each interval. */
  readonly charts: readonly Chart[];
}
