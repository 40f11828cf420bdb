import { LeafScanner, type ScannedLeaf } from "../../traffic/har/scan/leaf_scanner.ts";
import { isJson } from "../../traffic/har/media_type.ts";
import { longestToken, SHORTEST_WITHIN } from "../../traffic/session/value_index.ts";
import type { WantedValues } from "./sources/source_search.ts";

/**
 * Prefilter for JSON bodies: finds the leaves that may contain a value that a request sends, in the
 * bytes of the body. Most leaves contain none, so most of a recording is neither decoded nor parsed.
 * A leaf passes the filter if
 *
 * - it or its longest token is a whole value or a token of a request (`RequestValues.known`),
 * - requests send it in another encoding (`WantedValues.encodings`),
 * - it contains the longest token of a value that looks dynamic in a request (`RequestValues.sought`),
 *   even as a part of a longer text, such as a link or a page, and even if it is percent-encoded,
 * - it contains a token of a link that a request uses (`LinkSearch.tokens`), or
 * - it contains escape sequences (`\\/`, `\\u003d`), which may hide a token.
 *
 * A search that looks for other values in JSON must add their tokens here.
 */
export class LeafFilter {
  readonly #wanted: Pick<WantedValues, "sent" | "encodings">;
  readonly #tokens: () => Iterable<string>;
  #scanner: LeafScanner | undefined;

  /**
   * Creates a filter. `tokens` returns other tokens that a leaf can contain. They are needed only
   * for JSON bodies.
   */
  constructor(wanted: Pick<WantedValues, "sent" | "encodings">, tokens: () => Iterable<string>) {
    this.#wanted = wanted;
    this.#tokens = tokens;
  }

  /**
   * Returns the leaves that pass the filter, in document order. Returns undefined if the body is not
   * JSON, or if only a parser can find its leaves.
   */
  find(utf8: Uint8Array, mimeType: string): ScannedLeaf[] | undefined {
    if (mimeType.includes("html")) return undefined;
    const start = utf8[0] === 0xef && utf8[1] === 0xbb && utf8[2] === 0xbf ? 3 : 0;
    return isJson(mimeType) || startsLikeJson(utf8, start)
      ? (this.#scanner ??= this.#startScanner()).find(utf8.subarray(start))
      : undefined;
  }

  #startScanner(): LeafScanner {
    const scanner = new LeafScanner();
    const { sent, encodings } = this.#wanted;
    for (const token of this.#tokens()) scanner.addPart(token);
    for (const value of sent.known()) scanner.addValue(value);
    for (const value of encodings.keys()) scanner.addValue(value);
    for (const value of sent.sought.keys()) {
      const isNumber = value.length < SHORTEST_WITHIN && /^\d+$/.test(value);
      if (value.length < SHORTEST_WITHIN && !isNumber) continue;
      const [start, end] = longestToken(value);
      const token = value.slice(start, end);
      scanner.addPart(token);
      // Percent-encoding joins the digits of the character before a token with the token.
      const hex = value.charCodeAt(start - 1).toString(16);
      if (start === 0 || hex.length !== 2) continue;
      scanner.addPart(hex + token);
      scanner.addPart(hex.toUpperCase() + token);
    }
    return scanner;
  }
}

/** Reports whether the first of at most 64 bytes that is not white space is `{` or `[`. */
function startsLikeJson(utf8: Uint8Array, start: number): boolean {
  let at = start;
  while (at < 64 && [0x20, 0x09, 0x0a, 0x0d].includes(utf8[at])) at++;
  return utf8[at] === 0x7b || utf8[at] === 0x5b;
}
