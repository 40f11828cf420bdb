import { InputError } from "../../base/errors.ts";
import { type Random, random } from "../../base/random.ts";
import type { Feeder } from "../../plan/schema/data.ts";
import { type Shard, wholeNumber } from "../../plan/partition.ts";
import { type Choose, chooser } from "../flow/chooser.ts";
import type { EndScope } from "../flow/flow_end.ts";
import type { Vu } from "../flow/vu.ts";
import type { Row } from "./row.ts";

/** A data source, as flows use it. */
export interface DataSource {
  /** Its place in `Vu.rows` and `Vu.cursors`. */
  readonly slot: number;
  /** What ends when the rows do. */
  readonly endsWith: EndScope;
  /** The row of the VU's iteration; undefined after the last, unless rows are used again. */
  next(vu: Vu): Row | undefined;
}

/** Numbers the rows to be used: the k-th of this share, or undefined after the last. */
type Order = (k: number, random: Random) => number | undefined;

/**
 * Hands out `rows` as the feeder says. Of a shared source, each share of a plan uses rows of its own;
 * of a `per_vu` source each VU uses all.
 */
export function dataSource(
  feeder: Feeder,
  rows: readonly Row[],
  { slot, share, seed }: { readonly slot: number; readonly share: Shard; readonly seed: number },
): DataSource {
  const perVu = feeder.mode === "per_vu";
  const order = rowOrder(feeder, rows, perVu ? { index: 0, of: 1 } : share, seed);
  let shared = 0;
  const next = ({ cursors, random }: Vu) => {
    const k = perVu ? cursors[slot] ?? 0 : shared;
    const row = order(k, random);
    if (row === undefined) return undefined;
    if (perVu) cursors[slot] = k + 1;
    else shared++;
    return rows[row];
  };
  return { slot, endsWith: perVu ? "vu" : "scenario", next };
}

function rowOrder(feeder: Feeder, rows: readonly Row[], share: Shard, seed: number): Order {
  switch (feeder.pick ?? "sequential") {
    case "random":
      return (_, random) => random.int(0, rows.length - 1);
    case "weighted": {
      const choose = weightedRows(feeder, rows);
      return (_, random) => choose(random);
    }
    case "sequential":
      return passes(rows.length, share, feeder, () => (k) => k);
    case "shuffle":
      return passes(rows.length, share, feeder, (pass) => shuffled(rows.length, seed, pass));
  }
}

/** Pass after pass over all rows; a pass gives the row at each place of it. */
function passes(
  length: number,
  share: Shard,
  { on_eof }: Feeder,
  begin: (pass: number) => (place: number) => number,
): Order {
  let pass = 0;
  let order = begin(0);
  return (k) => {
    const place = wholeNumber(k, share);
    if (place >= length && on_eof === "stop") return undefined;
    const wanted = Math.floor(place / length);
    if (wanted !== pass) order = begin(pass = wanted);
    return order(place % length);
  };
}

/** The same order in every share: Fisher–Yates with the run's seed. */
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
  const wrong = weights.findIndex((weight) => !(weight >= 0));
  if (wrong >= 0 || !weights.some((weight) => weight > 0)) {
    throw new InputError(
      `cannot pick rows by weight: row ${wrong + 1} has no number in "${weight_column}"`,
      { source: "data" },
    );
  }
  return chooser(weights);
}
