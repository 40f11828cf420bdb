import { OPTIONAL_SOURCES, SOURCE_KINDS } from "../src/convert/correlate/sources/source_kinds.ts";
import { markdownTable, replaceTable } from "./markdown_table.ts";

/**
 * Returns docs/correlation.md with a table that lists the current sources of `--correlate`. `page` is
 * the page as it is; text outside the table stays.
 */
export function correlationPage(page: string): string {
  const sources = OPTIONAL_SOURCES.map((source) => {
    const { finds, extractor } = SOURCE_KINDS[source];
    return [`\`${source}\``, finds, extractor];
  });
  const table = markdownTable([
    ["`--correlate`", "finds values in", "extractor"],
    ...sources,
    ["`all`", "all of these", ""],
  ]);
  return replaceTable(page, "Beyond JSON", "`--correlate`", table);
}
