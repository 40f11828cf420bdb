import { parse } from "@std/csv/parse";
import { didYouMean } from "../../base/nearest.ts";
import { isMap } from "../../base/exact_number.ts";
import { inSection } from "./variable_uses.ts";
import type { CheckContext, Details } from "./check_context.ts";

/** Maximum number of columns to list in a message. */
const MAX_LISTED = 20;

/** Returns the column names of a data source, or undefined if they are unknown. */
function knownColumns(context: CheckContext, source: string): readonly string[] | undefined {
  if (!context.columns.has(source)) {
    context.columns.set(source, readColumns(context, inSection(context.plan, "data")[source]));
  }
  return context.columns.get(source);
}

/** Reports an error if the columns of the data source are known and `column` is not one of them. */
export function checkColumn(
  context: CheckContext,
  source: string,
  column: string,
  details: Details,
): void {
  const columns = knownColumns(context, source);
  if (columns === undefined || columns.includes(column)) return;
  const list = columns.slice(0, MAX_LISTED).join(", ") + (columns.length > MAX_LISTED ? ", …" : "");
  const message = `data.${source} has no column ${JSON.stringify(column)}: it has ${
    columns.length === 0 ? "no columns" : list
  }`;
  context.report("unknown-column", message, { ...details, hint: didYouMean(column, columns) });
}

function readColumns(context: CheckContext, feeder: unknown): readonly string[] | undefined {
  if (!isMap(feeder)) return undefined;
  const { type, rows, path, delimiter, encoding = "utf-8", has_header: hasHeader } = feeder;
  if (type === "inline" && Array.isArray(rows)) {
    return [...new Set(rows.filter(isMap).flatMap((row) => Object.keys(row)))];
  }
  if (type !== "csv" || typeof path !== "string" || encoding !== "utf-8") return undefined;
  const line = context.files?.firstLine(path);
  if (line === undefined) return undefined;
  const separator = typeof delimiter === "string" && delimiter.length === 1 ? delimiter : ",";
  const cells = readHeader(line, separator);
  return hasHeader === false ? cells?.map((_, i) => String(i)) : cells;
}

/**
 * Parses the column names in the first line of a CSV file. Returns undefined if a quoted cell
 * continues on the next line.
 */
function readHeader(line: string, separator: string): string[] | undefined {
  try {
    return parse(line.replace(/^\ufeff/, ""), { separator })[0] ?? [];
  } catch {
    return undefined;
  }
}
