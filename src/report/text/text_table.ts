import { cutToWidth, textWidth } from "../../base/text_width.ts";

/** Text of a cell, with the function that colours it after alignment. */
export type TextCell = string | readonly [text: string, paint: (text: string) => string];

/** Alignment of a column; a `cut` column is left-aligned and gives way when the table is too wide. */
export type Align = "left" | "right" | "cut";

/** What a `cut` column keeps, however narrow the table. */
const LEAST = 8;
const INDENT = 2;

/** Rows in aligned columns, indented by two spaces, two spaces apart, at most `width` columns wide. */
export function textTable(
  columns: readonly Align[],
  rows: readonly (readonly TextCell[])[],
  width: number = Infinity,
): string[] {
  const natural = columns.map((_, i) =>
    Math.max(0, ...rows.map((row) => textWidth(text(row[i] ?? ""))))
  );
  const excess = natural.reduce((sum, n) => sum + n + INDENT, 0) - width;
  const widths = natural.map((n, i) =>
    columns[i] === "cut" && excess > 0 ? Math.min(n, Math.max(LEAST, n - excess)) : n
  );
  return rows.map((row) => {
    const cells = row.map((cell, i) => {
      const [whole, paint] = typeof cell === "string" ? [cell, String] : cell;
      const text = columns[i] === "cut" ? cutToWidth(whole, widths[i]) : whole;
      const gap = " ".repeat(widths[i] - textWidth(text));
      return columns[i] === "right" ? gap + paint(text) : paint(text) + gap;
    });
    return `  ${cells.join("  ")}`.trimEnd();
  });
}

function text(cell: TextCell): string {
  return typeof cell === "string" ? cell : cell[0];
}
