import { parse as parseCsv } from "@std/csv/parse";
import { parseExactJson } from "../../base/exact_json.ts";
import { ExactNumber } from "../../base/exact_number.ts";
import { InputError } from "../../base/errors.ts";
import { firstBadByte, utf8Text, wideEncoding } from "../../base/utf8.ts";
import type { Feeder } from "../../plan/schema/plan.ts";
import type { Row } from "../vu/vu.ts";

/**
 * Reads all rows of a feeder. Throws InputError if its file cannot be read or parsed, or if it has
 * no rows.
 */
export function readRows(feeder: Feeder, readFile: (path: string) => Uint8Array): readonly Row[] {
  if (feeder.type === "inline") return feeder.rows;
  const text = decode(readFile(feeder.path), feeder);
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

/** Decodes a data file. Throws InputError with the place of the first byte that is not UTF-8. */
function decode(bytes: Uint8Array, feeder: Exclude<Feeder, { type: "inline" }>): string {
  const { encoding = "utf-8" } = feeder.type === "csv" ? feeder : {};
  const isBig = encoding === "utf-16" && bytes[0] === 0xfe && bytes[1] === 0xff;
  if (encoding !== "utf-8") return new TextDecoder(isBig ? "utf-16be" : encoding).decode(bytes);
  const wide = wideEncoding(bytes);
  const text = wide === undefined ? utf8Text(bytes) : undefined;
  if (text !== undefined) return text.replace(/^\ufeff/, "");
  const offset = wide === undefined ? firstBadByte(bytes) : 0;
  const lines = new TextDecoder().decode(bytes.subarray(0, offset)).split("\n");
  const what = wide ?? `not UTF-8 (byte 0x${bytes[offset].toString(16).toUpperCase()})`;
  const key = wide === undefined ? "encoding: latin1" : "encoding: utf-16";
  const way = feeder.type === "csv" ? `, or set \`${key}\`` : "";
  throw new InputError(`cannot read the data: the text is ${what}; save it as UTF-8${way}`, {
    source: feeder.path,
    line: lines.length,
    column: lines.at(-1)!.length + 1,
  });
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
