import { textWidth } from "../../base/text_width.ts";

/** Text of one cell, and what colours it once it stands in its column. */
export type Cell = string | readonly [text: string, paint: (text: string) => string];

/** On which side of its column a cell stands. */
export type Align = "left" | "right";

/** Rows whose cells stand under each other: two spaces in, two spaces apart. */
export function table(columns: readonly Align[], rows: readonly (readonly Cell[])[]): string[] {
  const widths = columns.map((_, i) =>
    Math.max(...rows.map((row) => textWidth(text(row[i] ?? ""))))
  );
  return rows.map((row) => {
    const cells = row.map((cell, i) => {
      const [text, paint] = typeof cell === "string" ? [cell, String] : cell;
      const gap = " ".repeat(widths[i] - textWidth(text));
      return columns[i] === "left" ? paint(text) + gap : gap + paint(text);
    });
    return `  ${cells.join("  ")}`.trimEnd();
  });
}

function text(cell: Cell): string {
  return typeof cell === "string" ? cell : cell[0];
}
