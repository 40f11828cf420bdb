import { cutToWidth, safeSnippet, safeText, textWidth } from "../../base/safe_text.ts";

/** Colors and width of a text report. */
export interface Style {
  /** Maximum width of a line in columns. */
  readonly width: number;
  /** Colors text that shows a good result. */
  good(text: string): string;
  /** Colors text that shows a bad result. */
  bad(text: string): string;
  /** Colors a warning. */
  warn(text: string): string;
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
    warn: paint(33),
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

/**
 * Breaks text at spaces into lines of at most `columns` terminal columns, and indents all lines but
 * the first by `indent` spaces. Words that are longer than a line are not broken.
 */
export function wrapWords(text: string, columns: number, indent = 0): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line.trim() !== "" && textWidth(longer) > columns) {
      lines.push(line);
      line = " ".repeat(indent) + word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Text of a cell, optionally with a function that colors the text after it has been aligned. */
export type TextCell = string | readonly [text: string, paint: (text: string) => string];

/**
 * Alignment of a column. A `cut` column is aligned left, and its cells are shortened if the table
 * is too wide. A `name` column is aligned left too, and a name that does not fit is put on its
 * own line.
 */
export type Align = "left" | "right" | "cut" | "name";

/** Minimum width of a `cut` or `name` column, in terminal columns. */
const MIN_CUT_WIDTH = 8;
/** Width of the space before a line and between columns, in terminal columns. */
export const INDENT = 2;

/**
 * Formats rows as a table, indented by two spaces and with two spaces between columns. If the table
 * is wider than `width`, narrows its `cut` and `name` columns.
 */
export function textTable(
  columns: readonly Align[],
  rows: readonly (readonly TextCell[])[],
  width: number = Infinity,
): string[] {
  const natural = columns.map((_, i) =>
    Math.max(0, ...rows.map((row) => textWidth(text(row[i] ?? ""))))
  );
  const excess = natural.reduce((sum, n) => sum + n + INDENT, 0) - width;
  const isNarrowed = (i: number) => columns[i] === "cut" || columns[i] === "name";
  const widths = natural.map((n, i) =>
    isNarrowed(i) && excess > 0 ? Math.min(n, Math.max(MIN_CUT_WIDTH, n - excess)) : n
  );
  return rows.flatMap((row) => {
    // A row in two lines: the cells up to the long name, and the other cells.
    const long = row.findIndex((cell, i) =>
      columns[i] === "name" && textWidth(text(cell)) > widths[i]
    );
    const cells = row.map((cell, i) => {
      const [whole, paint] = typeof cell === "string" ? [cell, String] : cell;
      if (i === long) return paint(fitMiddle(whole, width - lineStart(i)));
      const text = columns[i] === "cut" ? cutToWidth(whole, widths[i]) : whole;
      const gap = " ".repeat(widths[i] - textWidth(text));
      return columns[i] === "right" ? gap + paint(text) : paint(text) + gap;
    });
    const line = (cells: readonly string[], start: number) =>
      " ".repeat(start) + cells.join("  ").trimEnd();
    if (long < 0) return [line(cells, INDENT)];
    return [
      line(cells.slice(0, long + 1), INDENT),
      line(cells.slice(long + 1), lineStart(long + 1)),
    ];
  });

  /** Returns the number of terminal columns before a column of the table. */
  function lineStart(column: number): number {
    return widths.slice(0, column).reduce((sum, n) => sum + n + INDENT, INDENT);
  }
}

function text(cell: TextCell): string {
  return typeof cell === "string" ? cell : cell[0];
}
