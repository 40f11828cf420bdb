/**
 * Share `index` (from 0) of `of` equal ones. VUs, iterations, starts and data rows are numbered from
 * 0 over the whole plan; number k belongs to share k mod `of`. So the union of all shares is the
 * whole, whatever a ramp or a rate does.
 */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** The plan in one piece. */
export const WHOLE: Shard = { index: 0, of: 1 };

/** How many of the numbers 0 … count − 1 belong to the share. */
export function partitionCount(count: number, share: Shard): number {
  return Math.max(0, Math.ceil((count - share.index) / share.of));
}

/** The number in the whole plan of the share's k-th (from 0). */
export function wholeNumber(k: number, share: Shard): number {
  return k * share.of + share.index;
}

/** Share `inner` of a share: workers split what a machine was given. */
export function subShard(outer: Shard, inner: Shard): Shard {
  return { index: outer.index + inner.index * outer.of, of: outer.of * inner.of };
}

/** `2/4` is the second of four shares. Undefined when the text is no such thing. */
export function parseShard(text: string): Shard | undefined {
  const [, index, of] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number);
  return index >= 1 && index <= of ? { index: index - 1, of } : undefined;
}

/** The share as it is written on the command line. */
export function formatShard(share: Shard): string {
  return `${share.index + 1}/${share.of}`;
}
