import { isJson } from "./media_type.ts";

/** Whether to search a body for JSON leaves (strings and numbers). */
export enum LeafSearch {
  /** The body is not searched. */
  Never,
  /** The body is searched if it starts like JSON. */
  IfJson,
  Always,
}

/** Returns whether to search a body with this media type for JSON leaves. */
export function leafSearch(mimeType: string): LeafSearch {
  if (mimeType.includes("html")) return LeafSearch.Never;
  return isJson(mimeType) ? LeafSearch.Always : LeafSearch.IfJson;
}

/**
 * Returns the offset at which the JSON text of a body starts, after any byte order mark. Returns -1
 * if the body must not be searched for leaves.
 */
export function jsonStart(utf8: Uint8Array, search: LeafSearch): number {
  if (search === LeafSearch.Never) return -1;
  const start = utf8[0] === 0xef && utf8[1] === 0xbb && utf8[2] === 0xbf ? 3 : 0;
  return search === LeafSearch.Always || startsLikeJson(utf8, start) ? start : -1;
}

/**
 * Reports whether the first byte that is not white space is `{` or `[`. Checks only the first 64
 * bytes.
 */
function startsLikeJson(utf8: Uint8Array, start: number): boolean {
  let at = start;
  while (at < 64 && [0x20, 0x09, 0x0a, 0x0d].includes(utf8[at])) at++;
  return utf8[at] === 0x7b || utf8[at] === 0x5b;
}
