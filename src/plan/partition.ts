/**
 * One of the `of` shards into which a plan is split. VUs, iterations and data rows are numbered from 0
 * over the whole plan. Number k belongs to the shard with `index` k mod `of`. All shards together
 * therefore make the whole plan, regardless of ramps and rates.
 *
 * ```
 * number       0  1  2  3  4  5  6 …
 * shard 1/3    x        x        x
 * shard 2/3       x        x
 * shard 3/3          x        x
 * ```
 */
export interface Shard {
  /** Index of this shard, from 0 to `of - 1`. */
  readonly index: number;
  /** Number of shards of the whole plan. */
  readonly of: number;
}

/** The shard that contains a whole plan, for a plan that is not split. */
export const WHOLE: Shard = { index: 0, of: 1 };

/** Returns the number of items from 0 to `count − 1` that belong to the shard. */
export function partitionCount(count: number, shard: Shard): number {
  return Math.max(0, Math.ceil((count - shard.index) / shard.of));
}

/** Converts the index of an item in the shard (`k`, from 0) to its number in the whole plan. */
export function wholeNumber(k: number, shard: Shard): number {
  return k * shard.of + shard.index;
}

/**
 * Returns the part of the shard `outer` that `inner` selects, such as the part of one worker in a
 * machine's shard.
 */
export function subShard(outer: Shard, inner: Shard): Shard {
  return { index: outer.index + inner.index * outer.of, of: outer.of * inner.of };
}

/**
 * Parses a shard such as `2/4`, the second of four. Returns undefined if the text is not a shard.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShard } from "./partition.ts";
 *
 * assertEquals(parseShard("2/4"), { index: 1, of: 4 });
 * assertEquals(parseShard("5/4"), undefined);
 * ```
 */
export function parseShard(text: string): Shard | undefined {
  const [, index, of] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number);
  return index >= 1 && index <= of ? { index: index - 1, of } : undefined;
}

/** Formats a shard as on the command line, such as `2/4`. */
export function formatShard(shard: Shard): string {
  return `${shard.index + 1}/${shard.of}`;
}
