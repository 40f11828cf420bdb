import { InputError } from "../../base/errors.ts";
import { type Random, random } from "../../base/random.ts";
import type { Feeder } from "../../plan/schema/data.ts";
import { type Shard, wholeNumber } from "../../plan/partition.ts";
import { type Choose, chooser } from "../flow/chooser.ts";
import type { EndScope } from "../flow/flow_end.ts";
import type { Vu } from "../flow/vu.ts";
import type { Row } from "./row.ts";

/** Source of rows for flows. */
export interface DataSource {
  /** Index in `Vu.rows` and `Vu.cursors`. */
  readonly index: number;
  /** Scope that ends after the last row. */
  readonly endsWith: EndScope;
  /**
   * Returns the row for the VU's iteration, or undefined after the last row unless rows are reused.
   */
  next(vu: Vu): Row | undefined;
}

/** Returns the row number for the k-th use in this shard, or undefined after the last row. */
type Order = (k: number, random: Random) => number | undefined;

/**
 * Creates the source of a feeder with these rows. Each shard of a plan uses different rows of a
 * shared source; each VU uses all rows of a `per_vu` source.
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
  return { index, endsWith: perVu ? "vu" : "scenario", next };
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
 * Goes over all rows in passes. `startPass` returns the order of a pass: the row for each position.
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

/** Returns a shuffled order, the same in every shard: Fisher–Yates with the run's seed. */
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
  if (invalid >= 0 || !weights.some((weight) => weight > 0)) {
    throw new InputError(
      `cannot pick rows by weight: row ${invalid + 1} has no number in "${weight_column}"`,
      { source: "data" },
    );
  }
  return chooser(weights);
}
