import { parse as parseCsv } from "@std/csv/parse";
import { parseExactJson } from "../../base/exact_json.ts";
import { ExactNumber } from "../../base/exact_number.ts";
import { InputError } from "../../base/errors.ts";
import type { Feeder } from "../../plan/schema/data.ts";
import type { Row } from "../vu/vu.ts";

/**
 * Reads all rows of a feeder. Throws InputError if its file cannot be read or parsed, or if it has
 * no rows.
 */
export function readRows(feeder: Feeder, readFile: (path: string) => Uint8Array): readonly Row[] {
  if (feeder.type === "inline") return feeder.rows;
  const text = new TextDecoder().decode(readFile(feeder.path));
  try {
    const rows = feeder.type === "csv" ? csvRows(text, feeder) : jsonRows(parseExactJson(text));
    if (rows.length > 0) return rows;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InputError(`cannot read the data: ${reason}`, { source: feeder.path }, {
      cause: error,
    });
  }
  throw new InputError("cannot use the data: it has no rows", { source: feeder.path });
}

function csvRows(
  text: string,
  { delimiter, has_header = true }: Extract<Feeder, { type: "csv" }>,
): readonly Row[] {
  const rows = parseCsv(text, { separator: delimiter ?? "," }) as string[][];
  const columns = has_header ? rows.shift() ?? [] : (rows[0] ?? []).map((_, i) => String(i));
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}

function jsonRows(value: unknown): readonly Row[] {
  const isRow = (row: unknown) =>
    typeof row === "object" && row !== null && !Array.isArray(row) &&
    !(row instanceof ExactNumber);
  if (Array.isArray(value) && value.every(isRow)) return value;
  throw new Error("the file must contain a JSON array of objects");
}
