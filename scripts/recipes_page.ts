import { NAMED_FORMATS } from "../src/traffic/accesslog/formats/formats.ts";
import { markdownTable, replaceTable } from "./markdown_table.ts";

/**
 * Returns docs/recipes.md with a table that lists the current log formats. `page` is the current page;
 * text outside the table stays.
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
