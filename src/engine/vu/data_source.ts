import { parse as parseCsv } from "@std/csv/parse";
import { InputError } from "../../base/errors.ts";
import { ExactNumber, parseExactJson } from "../../base/exact_number.ts";
import { type Choose, chooser, type Random, random } from "../../base/random.ts";
import { firstBadByte, utf8Text, wideEncoding } from "../../base/string_escapes.ts";
import { type Shard, wholeNumber } from "../../plan/partition.ts";
import type { Feeder } from "../../plan/schema/plan.ts";
import type { EndScope } from "./flow_end.ts";
import type { Row, Vu } from "./vu.ts";

export interface DataSource {
  /** Index of this source in `Vu.rows` and `Vu.cursors`. */
  readonly index: number;
  /** What ends when no rows are left: the VU in `per_vu` mode, otherwise the scenario. */
  readonly endsWith: EndScope;
  readonly rows: readonly Row[];
  /** Returns the next row for `vu`, or undefined if no rows are left. */
  next(vu: Vu): Row | undefined;
}

/** Returns the index of the k-th row (from 0), or undefined if no rows are left. */
type Order = (k: number, random: Random) => number | undefined;

/**
 * Creates the data source of a feeder. In `per_vu` mode, each VU uses all rows. Otherwise, the VUs
 * share the rows, and the shards of a plan divide the rows among themselves unless rows are picked
 * at random or by weight. Throws InputError if rows are picked by weight, and a weight is invalid
 * or all weights are 0.
 */
export function dataSource(
  feeder: Feeder,
  rows: readonly Row[],
  { index, shard, seed }: { readonly index: number; readonly shard: Shard; readonly seed: number },
): DataSource {
  const perVu = feeder.mode === "per_vu";
  const order = rowOrder(feeder, rows, perVu ? { index: 0, of: 1 } : shard, seed);
  let shared = 0;
  const next = ({ cursors, random }: Vu) => {
    const k = perVu ? cursors[index] ?? 0 : shared;
    const row = order(k, random);
    if (row === undefined) return undefined;
    if (perVu) cursors[index] = k + 1;
    else shared++;
    return rows[row];
  };
  return { index, endsWith: perVu ? "vu" : "scenario", rows, next };
}

function rowOrder(feeder: Feeder, rows: readonly Row[], shard: Shard, seed: number): Order {
  switch (feeder.pick ?? "sequential") {
    case "random":
      return (_, random) => random.int(0, rows.length - 1);
    case "weighted": {
      const choose = weightedRows(feeder, rows);
      return (_, random) => choose(random);
    }
    case "sequential":
      return passes(rows.length, shard, feeder, () => (k) => k);
    case "shuffle":
      return passes(rows.length, shard, feeder, (pass) => shuffled(rows.length, seed, pass));
  }
}

/**
 * Returns an `Order` that goes through all rows repeatedly, or only once if `on_eof` is `stop`. For
 * each pass (numbered from 0), `startPass` returns a function that maps a position in the pass to a
 * row index.
 */
function passes(
  length: number,
  shard: Shard,
  { on_eof }: Feeder,
  startPass: (pass: number) => (place: number) => number,
): Order {
  let pass = 0;
  let order = startPass(0);
  return (k) => {
    const place = wholeNumber(k, shard);
    if (place >= length && on_eof === "stop") return undefined;
    const needed = Math.floor(place / length);
    if (needed !== pass) order = startPass(pass = needed);
    return order(place % length);
  };
}

/**
 * Shuffles the rows for a pass (Fisher–Yates). Returns a function that maps a position in the pass
 * to a row index. The order depends only on the seed and the pass, so that all shards use the same
 * order.
 */
function shuffled(length: number, seed: number, pass: number): (place: number) => number {
  const order = Uint32Array.from({ length }, (_, i) => i);
  const draw = random(seed, pass);
  for (let i = length - 1; i > 0; i--) {
    const j = draw.int(0, i);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return (place) => order[place];
}

function weightedRows({ weight_column }: Feeder, rows: readonly Row[]): Choose {
  const weights = rows.map((row) => Number(row[weight_column ?? ""]));
  const invalid = weights.findIndex((weight) => !(weight >= 0));
  const isZero = weights.every((weight) => weight === 0);
  if (invalid < 0 && !isZero) return chooser(weights);
  const reason = isZero
    ? `every weight in "${weight_column}" is 0`
    : `"${weight_column}" in row ${invalid + 1} is negative or not a number`;
  throw new InputError(`cannot pick rows by weight: ${reason}`, { source: "data" });
}

/** Reads all rows of a feeder. Throws InputError if there are none. */
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
