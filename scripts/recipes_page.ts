import { NAMED_FORMATS } from "../src/traffic/accesslog/formats/formats.ts";
import { markdownTable, replaceTable } from "./markdown_table.ts";

/**
 * Updates the table of log formats in `page`, the text of docs/recipes.md. Returns the text, which
 * is otherwise unchanged.
 */
export function recipesPage(page: string): string {
  const rows = Object.entries(NAMED_FORMATS).map(([name, { writtenBy }]) => [
    `\`${name}\``,
    writtenBy,
  ]);
  return replaceTable(
    page,
    "Read another log format",
    "format",
    markdownTable([["format", "written by"], ...rows]),
  );
}
