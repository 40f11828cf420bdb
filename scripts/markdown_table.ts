/** Formats a Markdown table as `deno fmt` does, with padded cells. The first row is the header. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column])));
  const rule = widths.map((width) => "-".repeat(width));
  return [lines[0], rule, ...lines.slice(1)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
