/**
 * One of several parts of a plan that run in separate threads or processes, or on separate
 * machines. VUs, iterations and data rows are numbered from 0 across the whole plan. The shard with
 * index `i` of `n` gets every number `k` for which `k mod n = i`. Together, the shards therefore
 * run the whole plan, regardless of its ramps and rates.
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
  /** Number of shards into which the plan is split. */
  readonly of: number;
}

/** The only shard of a plan that is not split. */
export const WHOLE: Shard = { index: 0, of: 1 };

/** Returns how many of the numbers from 0 to `count - 1` belong to the shard. */
export function partitionCount(count: number, shard: Shard): number {
  return Math.max(0, Math.ceil((count - shard.index) / shard.of));
}

/** Converts the zero-based index `k` within a shard to the zero-based index in the whole plan. */
export function wholeNumber(k: number, shard: Shard): number {
  return k * shard.of + shard.index;
}

/** Such as the part of a machine's shard that one worker thread runs. */
export function subShard(outer: Shard, inner: Shard): Shard {
  return { index: outer.index + inner.index * outer.of, of: outer.of * inner.of };
}

/**
 * Parses a shard in command-line notation: `2/4` is the second of four shards. Returns undefined if
 * the text is not a valid shard.
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

/** Formats a shard in command-line notation: `2/4` is the second of four shards. */
export function formatShard(shard: Shard): string {
  return `${shard.index + 1}/${shard.of}`;
}
