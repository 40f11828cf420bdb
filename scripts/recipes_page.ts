import { NAMED_FORMATS } from "../src/traffic/accesslog/formats/formats.ts";
import { markdownTable, replaceTable } from "./markdown_table.ts";

/**
 * Returns docs/recipes.md with an updated table of log formats. `page` is the text of the page, which
 * is kept except for the table.
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
