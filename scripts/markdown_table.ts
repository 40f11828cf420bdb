/** Formats a Markdown table as `deno fmt` does, with padded cells. The first row is the header. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column])));
  const rule = widths.map((width) => "-".repeat(width));
  return [lines[0], rule, ...lines.slice(1)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/**
 * Replaces the first table below `heading` whose first column has the title `column`, and returns
 * the page. Throws an Error if the page has no such table.
 */
export function replaceTable(page: string, heading: string, column: string, table: string): string {
  const section = page.indexOf(`\n## ${heading}\n`);
  const start = page.indexOf(`\n| ${column} `, section) + 1;
  if (section < 0 || start === 0) throw new Error(`the page has no table below "${heading}"`);
  const end = page.indexOf("\n\n", start);
  return page.slice(0, start) + table + page.slice(end < 0 ? page.length - 1 : end);
}
