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

function shares(of: number): Shard[] {
  return Array.from({ length: of }, (_, index) => ({ index, of }));
}

function numbers(count: number, share: Shard): number[] {
  return Array.from({ length: partitionCount(count, share) }, (_, k) => wholeNumber(k, share));
}

Deno.test("the union of all shares is the whole, each number once", () => {
  fc.assert(fc.property(fc.nat(500), split, (count, of) => {
    const union = shares(of).flatMap((share) => numbers(count, share)).sort((a, b) => a - b);
    assertEquals(union, [...Array(count).keys()]);
  }));
});

Deno.test("shares of a share are shares of the whole", () => {
  fc.assert(fc.property(fc.nat(300), split, split, (count, machines, workers) => {
    const union = shares(machines).flatMap((machine) =>
      shares(workers).flatMap((worker) => numbers(count, subShard(machine, worker)))
    ).sort((a, b) => a - b);
    assertEquals(union, [...Array(count).keys()]);
  }));
});

Deno.test("no share has two more than another", () => {
  fc.assert(fc.property(fc.nat(500), split, (count, of) => {
    const parts = shares(of).map((share) => partitionCount(count, share));
    assertEquals(Math.max(...parts) - Math.min(...parts) <= 1, true);
  }));
});

Deno.test("shares are written i/n, from 1", () => {
  assertEquals(parseShard("2/4"), { index: 1, of: 4 });
  assertEquals(formatShard(WHOLE), "1/1");
  for (const text of ["0/4", "5/4", "1", "1/0", "a/b", "-1/2", "1/2/3", ""]) {
    assertEquals(parseShard(text), undefined);
  }
});
