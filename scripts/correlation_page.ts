import { OPTIONAL_SOURCES, SOURCE_KINDS } from "../src/correlation/source_kinds.ts";
import { markdownTable, replaceTable } from "./markdown_table.ts";

/**
 * Updates the table in `page`, the text of docs/correlation.md, so that it lists the current
 * values of `--correlate`. Returns the text, which is otherwise unchanged.
 */
export function correlationPage(page: string): string {
  const sources = OPTIONAL_SOURCES.map((source) => {
    const { finds, extractor } = SOURCE_KINDS[source];
    return [`\`${source}\``, finds, extractor];
  });
  const table = markdownTable([
    ["`--correlate`", "finds values in", "extractor"],
    ["`json`", "JSON bodies; always searched", "`jsonpath`"],
    ...sources,
  ]);
  return replaceTable(page, "Sources", "`--correlate`", table);
}
