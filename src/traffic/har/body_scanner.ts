import type { ScannedBody } from "./body_ring.ts";
import { isJson } from "./media_type.ts";
import type { LeafRecords } from "./scan/leaf_reader.ts";
import { type EncodedTexts, LeafScanner } from "./scan/leaf_scanner.ts";
import { type FoundTokens, TokenScanner } from "./scan/token_scanner.ts";

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

/** Searches bodies for leaves and tokens that may contain a wanted value. */
export class BodyScanner {
  readonly #leaves = new LeafScanner();
  readonly #wantedTokens: () => readonly string[] | undefined;
  #tokens: TokenScanner | undefined;

  /**
   * Creates a scanner that searches JSON bodies for the values and tokens in `wanted`, and other
   * bodies for the tokens that `tokens` returns. If `tokens` returns undefined, `scan` does not
   * search other bodies. It is called only if there is a body that is not JSON.
   */
  constructor(wanted: EncodedTexts, tokens: () => readonly string[] | undefined) {
    this.#leaves.addEncoded(wanted);
    this.#wantedTokens = tokens;
  }

  /**
   * Searches a body for leaves if `search` allows it and it is JSON, and otherwise for tokens. The
   * leaves in the result are valid until the next search. Returns undefined if the body was not
   * searched.
   */
  scan(utf8: Uint8Array, search: LeafSearch): ScannedBody | undefined {
    const start = jsonStart(utf8, search);
    const leaves = start < 0 ? undefined : this.findLeaves(utf8.subarray(start));
    if (leaves !== undefined) return { utf8, leaves, tokens: undefined };
    return this.#wantedTokens() && { utf8, leaves, tokens: this.findTokens(utf8) };
  }

  /** Returns what `LeafScanner.scan` finds in JSON text. */
  findLeaves(text: Uint8Array): LeafRecords | undefined {
    return this.#leaves.scan(text);
  }

  /** Returns what `TokenScanner.find` finds in a body. */
  findTokens(utf8: Uint8Array): FoundTokens | undefined {
    return (this.#tokens ??= new TokenScanner(this.#wantedTokens() ?? [])).find(utf8);
  }
}
