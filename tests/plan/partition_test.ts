import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  formatShard,
  parseShard,
  partitionCount,
  type Shard,
  subShard,
  WHOLE,
  wholeNumber,
} from "../../src/plan/partition.ts";

const split = fc.integer({ min: 1, max: 12 });

function shards(of: number): Shard[] {
  return Array.from({ length: of }, (_, index) => ({ index, of }));
}

function numbers(count: number, shard: Shard): number[] {
  return Array.from({ length: partitionCount(count, shard) }, (_, k) => wholeNumber(k, shard));
}

Deno.test("each iteration number belongs to exactly one shard", () => {
  fc.assert(fc.property(fc.nat(500), split, (count, of) => {
    const union = shards(of).flatMap((shard) => numbers(count, shard)).sort((a, b) => a - b);
    assertEquals(union, [...Array(count).keys()]);
  }));
});

Deno.test("a shard of a shard is a shard of the whole plan", () => {
  fc.assert(fc.property(fc.nat(300), split, split, (count, machines, workers) => {
    const union = shards(machines).flatMap((machine) =>
      shards(workers).flatMap((worker) => numbers(count, subShard(machine, worker)))
    ).sort((a, b) => a - b);
    assertEquals(union, [...Array(count).keys()]);
  }));
});

Deno.test("the sizes of shards differ by at most one", () => {
  fc.assert(fc.property(fc.nat(500), split, (count, of) => {
    const sizes = shards(of).map((shard) => partitionCount(count, shard));
    assertEquals(Math.max(...sizes) - Math.min(...sizes) <= 1, true);
  }));
});

Deno.test("parseShard and formatShard use the notation i/n, counted from 1", () => {
  assertEquals(parseShard("2/4"), { index: 1, of: 4 });
  assertEquals(formatShard(WHOLE), "1/1");
  for (const text of ["0/4", "5/4", "1", "1/0", "a/b", "-1/2", "1/2/3", ""]) {
    assertEquals(parseShard(text), undefined);
  }
});
