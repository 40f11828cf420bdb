import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Histogram } from "../../../src/base/histogram.ts";
import { Counts, mergeRows, type RuleName, TABLE } from "../../../src/engine/metrics/counts.ts";
import { ChangeReader, decodeChanges } from "../../../src/fleet/shard_counts.ts";
import type { CountRows, Family } from "../../../src/engine/metrics/snapshot.ts";

function histogram(values: readonly number[]) {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram.data();
}

const count = fc.nat(1_000);
const times = fc.array(fc.nat(1e6), { maxLength: 5 }).map(histogram);
const VALUES: Record<RuleName, fc.Arbitrary<unknown>> = {
  label: fc.constantFrom("a", "b"),
  first: fc.constant("one"),
  text: fc.constant("some text"),
  sum: count,
  positive: fc.constantFrom(undefined, 3),
  known: count,
  longest: fc.constantFrom(undefined, 3),
  longestKnown: count,
  now: count,
  highest: count,
  lowest: count,
  worst: fc.constantFrom("aborted", "finished"),
  histogram: times,
  anyHistogram: times,
  statuses: fc.record({ 200: fc.integer({ min: 1, max: 9 }) }),
  series: fc.constant(undefined),
};

/** Generates rows of a family. */
function rowsOf<F extends Family>(family: F): fc.Arbitrary<CountRows[F][]> {
  const fields = Object.entries(TABLE[family]) as [string, RuleName][];
  const row = fc.record(Object.fromEntries(fields.map(([field, rule]) => [field, VALUES[rule]])));
  return fc.array(row, { maxLength: 4 }) as unknown as fc.Arbitrary<CountRows[F][]>;
}

for (const family of Object.keys(TABLE) as Family[]) {
  Deno.test(`counts: the changes of ${family} add up to the counts`, () => {
    fc.assert(
      fc.property(fc.array(rowsOf(family), { maxLength: 4 }), (added) => {
        const [counts, copy, reader] = [new Counts(), new Counts(), new ChangeReader()];
        for (const rows of added) {
          counts.add(family, rows);
          const sent = JSON.parse(JSON.stringify(reader.take(family, counts.data(family))));
          copy.follow(family, decodeChanges(family, sent));
          assertEquals(copy.data(family), counts.data(family));
          assertEquals(reader.take(family, counts.data(family)), []);
        }
      }),
      { numRuns: 30 },
    );
  });

  Deno.test(`counts: rows of ${family} can be merged in any order`, () => {
    fc.assert(
      fc.property(rowsOf(family), rowsOf(family), (one, two) => {
        const key = (row: object) => JSON.stringify(row);
        const merged = (rows: CountRows[Family][]) => mergeRows(family, rows).map(key).sort();
        const whole = merged([...one, ...two]);
        assertEquals(merged([...two, ...one]), whole);
        assertEquals(merged([...mergeRows(family, one), ...mergeRows(family, two)]), whole);
      }),
      { numRuns: 30 },
    );
  });
}
