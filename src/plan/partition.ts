/**
 * Shard `index` (from 0) of `of` shards. VUs, iterations and data rows are numbered from 0 over the
 * whole plan, and number k belongs to shard k mod `of`. So all shards together make the whole plan,
 * regardless of ramps and rates.
 *
 * ```
 * number       0  1  2  3  4  5  6 …
 * shard 1/3    x        x        x
 * shard 2/3       x        x
 * shard 3/3          x        x
 * ```
 */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** The only shard of a plan that is not split. */
export const WHOLE: Shard = { index: 0, of: 1 };

/** Returns how many of the numbers 0 … count − 1 belong to the shard. */
export function partitionCount(count: number, shard: Shard): number {
  return Math.max(0, Math.ceil((count - shard.index) / shard.of));
}

/** Returns the number in the whole plan of the shard's k-th item (from 0). */
export function wholeNumber(k: number, shard: Shard): number {
  return k * shard.of + shard.index;
}

/** Returns shard `inner` of a shard: the workers of a machine split the machine's shard. */
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
