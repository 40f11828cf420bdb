import { plural } from "../../base/format.ts";
import { cutToWidth, safeSnippet, safeText, textWidth } from "../../base/safe_text.ts";
import { type Block, type Cell, type Heading, isShown, type Table } from "../blocks.ts";

/** Colors and width of a text report. */
export interface Style {
  /** Maximum width of a line in columns. */
  readonly width: number;
  /** Colors text that shows a good result. */
  good(text: string): string;
  bad(text: string): string;
  /** Colors a warning, or a result that is undecided. */
  open(text: string): string;
  /** Dims secondary text. */
  faint(text: string): string;
  /** Emphasizes a heading. */
  strong(text: string): string;
}

/** Creates a style for a terminal. If `color` is false, its functions return text unchanged. */
export function style(color: boolean, width: number): Style {
  const paint = (code: number) => (text: string) =>
    color && text !== "" ? `\x1b[${code}m${text}\x1b[0m` : text;
  return {
    width,
    good: paint(32),
    bad: paint(31),
    open: paint(33),
    faint: paint(2),
    strong: paint(1),
  };
}

/** Makes recorded text safe to print and shortens it to `columns` terminal columns. */
export function fit(text: string, columns: number): string {
  return cutToWidth(safeSnippet(text, columns), columns);
}

/**
 * Makes recorded text safe to print and shortens it to `columns` terminal columns. Removes the
 * middle, because similar names, such as endpoint paths, usually differ at the start or the end.
 */
export function fitMiddle(text: string, columns: number): string {
  const safe = safeText(text);
  if (textWidth(safe) <= columns) return safe;
  const start = cutToWidth(safe, Math.ceil(columns / 2));
  let end = safe.slice(-columns);
  const room = columns - textWidth(start);
  while (textWidth(end) > room) end = end.slice(1);
  return start + end.replace(/^[\uDC00-\uDFFF]/, "");
}

/** Formats blocks as lines. Each section ends with an empty line. */
export function printText(blocks: readonly Block[], style: Style): string[] {
  return blocks.filter((block) => isShown(block, "text")).flatMap((block) => {
    if ("lines" in block) return block.lines;
    if ("blocks" in block) {
      return [style.strong(block.title), ...printText(block.blocks, style), ""];
    }
    return "rows" in block ? printTable(block, style) : [];
  });
}

/** Minimum width of a column whose texts may be shortened, in terminal columns. */
const MIN_CUT_WIDTH = 8;
/** Maximum width of a shortened text if the width of the output is unlimited. */
const MAX_CUT_WIDTH = 60;
/** Width of the space before a line and between columns, in terminal columns. */
export const INDENT = 2;

/**
 * Formats a table, indented by `indent` spaces and with two spaces between columns. If the table is
 * too wide, narrows the columns that allow it.
 */
export function printTable(table: Table, style: Style, indent: number = INDENT): string[] {
  const isShown = ({ only = "text" }: Heading) => only === "text";
  const isBelow = ({ long }: Heading) => long === "below";
  const columns = table.columns.filter((column) => isShown(column) && !isBelow(column));
  const more = table.rows.length - (table.first ?? Infinity);
  const rows = table.rows.slice(0, table.first).map((row) => ({
    cells: row.filter((_, i) => columns.includes(table.columns[i])).map((cell, i) => ({
      ...cell,
      text: safeCellText(cell.text, columns[i], style.width),
    })),
    below: row.find((_, i) => isShown(table.columns[i]) && isBelow(table.columns[i]))?.text,
  }));
  const isNumeric = columns.map((_, i) => rows.some(({ cells }) => cells[i].value !== undefined));
  const head = columns.map(({ title }): Cell => ({ text: title, tone: "faint" }));
  const hasHead = columns.some(({ title }) => title !== "");
  const all = hasHead ? [{ cells: head, below: undefined }, ...rows] : rows;
  const widths = fitWidths(columns, all.map(({ cells }) => cells), style.width - indent);
  const lineStart = (column: number) =>
    widths.slice(0, column).reduce((sum, n) => sum + n + INDENT, indent);
  const line = (start: number, ...cells: readonly string[]) =>
    " ".repeat(start) + cells.join(" ".repeat(INDENT)).trimEnd();
  const lines = all.flatMap(({ cells: row, below = "" }) => {
    // A row in two lines: the cells up to the long name, and the other cells.
    const long = row.findIndex(({ text }, i) =>
      columns[i].long === "line" && textWidth(text) > widths[i]
    );
    const cells = row.map(({ text, tone }, i) => {
      const paint = tone === undefined ? String : style[tone];
      if (i === long) return paint(fitMiddle(text, style.width - lineStart(i)));
      const fitted = columns[i].long === "cut" ? cutToWidth(text, widths[i]) : text;
      const gap = " ".repeat(widths[i] - textWidth(fitted));
      return isNumeric[i] ? gap + paint(fitted) : paint(fitted) + gap;
    });
    const start = indent + INDENT;
    return [
      ...(long < 0 ? [line(indent, ...cells)] : [
        line(indent, ...cells.slice(0, long + 1)),
        line(lineStart(long + 1), ...cells.slice(long + 1)),
      ]),
      ...(below === "" ? [] : [line(start, style.faint(fit(below, style.width - start)))]),
    ];
  });
  const { rest = `and ${plural(more, "more row")}` } = table;
  return more > 0 ? [...lines, style.faint(" ".repeat(indent) + rest)] : lines;
}

function safeCellText(text: string, { long }: Heading, width: number): string {
  if (long === "line") return fitMiddle(text, width);
  if (long === "cut") return fit(text, width === Infinity ? MAX_CUT_WIDTH : width);
  return safeText(text);
}

function fitWidths(
  columns: readonly Heading[],
  rows: readonly (readonly Cell[])[],
  width: number,
): number[] {
  const natural = columns.map((_, i) => Math.max(0, ...rows.map((row) => textWidth(row[i].text))));
  let excess = natural.reduce((sum, n) => sum + n + INDENT, -INDENT) - width;
  return natural.map((n, i) => {
    if (columns[i].long === undefined || excess <= 0) return n;
    const narrow = Math.min(n, Math.max(MIN_CUT_WIDTH, n - excess));
    excess -= n - narrow;
    return narrow;
  });
}
