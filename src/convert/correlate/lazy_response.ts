import { parseJsonResponse } from "../../traffic/har/json_body.ts";
import { isJson } from "../../traffic/har/media_type.ts";
import { LeafScanner, type ScannedLeaf } from "../../traffic/har/scan/leaf_scanner.ts";
import { type FoundTokens, TokenScanner } from "../../traffic/har/scan/token_scanner.ts";
import { decodeText } from "../../traffic/har/text_store.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { longestToken, SHORTEST_WITHIN } from "../../traffic/session/value_index.ts";
import { numbersToFind } from "./sources/named_values.ts";
import type { SearchedResponse, WantedValues } from "./sources/source_search.ts";

/** A recorded response that is decoded and parsed when a search reads it. */
export class LazyResponse implements SearchedResponse {
  readonly call: RecordedCall;
  readonly leaves: readonly ScannedLeaf[] | undefined;
  readonly utf8: Uint8Array | undefined;
  #text: string | undefined;
  #json: { readonly value: unknown } | undefined;
  #tokens: { readonly found: FoundTokens | undefined } | undefined;
  readonly #filter: BodyFilter;

  /** Wraps the response of `call`. `filter` finds the parts of its body to search. */
  constructor(call: RecordedCall, filter: BodyFilter) {
    this.call = call;
    this.#filter = filter;
    const { utf8, mimeType } = call.exchange.response;
    this.utf8 = utf8;
    this.leaves = utf8 && filter.findLeaves(utf8, mimeType);
  }

  /** True if the body was recorded. Does not decode it. */
  get hasBody(): boolean {
    return this.utf8 !== undefined || this.text !== undefined;
  }

  get text(): string | undefined {
    return this.#text ??= this.utf8 === undefined
      ? this.call.exchange.response.text
      : decodeText(this.utf8);
  }

  get json(): unknown {
    this.#json ??= { value: this.#parse() };
    return this.#json.value;
  }

  get isJson(): boolean {
    return this.leaves !== undefined || this.json !== undefined;
  }

  get tokens(): FoundTokens | undefined {
    this.#tokens ??= { found: this.#findTokens() };
    return this.#tokens.found;
  }

  #findTokens(): FoundTokens | undefined {
    return this.utf8 && this.#filter.findTokens(this.utf8, this.text!);
  }

  #parse(): unknown {
    const { text } = this;
    return text === undefined
      ? undefined
      : parseJsonResponse(text, this.call.exchange.response.mimeType);
  }
}

/**
 * Prefilter for bodies: in the bytes of a body, finds the places that may contain a value that a
 * request sends. Most bodies contain none, so most of a recording is neither decoded nor parsed. A
 * search that looks for other values must add their tokens here.
 */
export class BodyFilter {
  readonly #wanted: WantedValues;
  readonly #links: () => Iterable<string>;
  readonly #hasAllLeaves: boolean;
  #leaves: LeafScanner | undefined;
  #tokens: TokenScanner | undefined;

  /**
   * Creates a filter. `links` returns the tokens of links that requests use (`LinkSearch.tokens`). They
   * are needed only if there is a body. If `hasAllLeaves` is true, all leaves of JSON need to be searched.
   */
  constructor(wanted: WantedValues, links: () => Iterable<string>, hasAllLeaves: boolean) {
    this.#wanted = wanted;
    this.#links = links;
    this.#hasAllLeaves = hasAllLeaves;
  }

  /**
   * Returns the leaves of a JSON body that may contain a value, in document order. Returns undefined if
   * the body is not JSON, or if only a parser can find its leaves. A leaf may contain a value if
   *
   * - it or its longest token is a whole value or a token of a request (`RequestValues.known`),
   * - requests send it in another encoding (`WantedValues.encodings`),
   * - it contains the longest token of a value that looks dynamic in a request
   *   (`RequestValues.sought`), even as a part of a longer text, such as a link or a page, and even if
   *   it is percent-encoded,
   * - it contains a token of a link that a request uses, or
   * - it contains escape sequences (`\/`, `\u003d`), which may hide a token.
   */
  findLeaves(utf8: Uint8Array, mimeType: string): ScannedLeaf[] | undefined {
    if (this.#hasAllLeaves || mimeType.includes("html")) return undefined;
    const start = utf8[0] === 0xef && utf8[1] === 0xbb && utf8[2] === 0xbf ? 3 : 0;
    return isJson(mimeType) || startsLikeJson(utf8, start)
      ? (this.#leaves ??= this.#startLeafScanner()).find(utf8.subarray(start))
      : undefined;
  }

  /**
   * For a body that is not JSON, returns the tokens in it that belong to a value: the longest
   * tokens of the values that look dynamic in a request (`WantedValues.sought`), numbers of up to
   * seven digits that requests send (`numbersToFind`), and the tokens of links. `utf8` and `text`
   * are the content of the body. Returns undefined if only the text can be searched: if it
   * contains too many wanted tokens, or if the bytes may be invalid.
   */
  findTokens(utf8: Uint8Array, text: string): FoundTokens | undefined {
    const found = (this.#tokens ??= this.#startTokenScanner()).find(utf8);
    return found === undefined || (!found.isAscii && text.includes(REPLACEMENT))
      ? undefined
      : found;
  }

  #startLeafScanner(): LeafScanner {
    const scanner = new LeafScanner();
    const { sent, encodings } = this.#wanted;
    for (const token of this.#links()) scanner.addPart(token);
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

  #startTokenScanner(): TokenScanner {
    const { sought, sent } = this.#wanted;
    const tokens = new Set([...sought.tokens(), ...numbersToFind(sent), ...this.#links()]);
    return new TokenScanner([...tokens]);
  }
}

/** Character that replaces invalid bytes when they are decoded. */
const REPLACEMENT = "\ufffd";

/** Reports whether the first of at most 64 bytes that is not white space is `{` or `[`. */
function startsLikeJson(utf8: Uint8Array, start: number): boolean {
  let at = start;
  while (at < 64 && [0x20, 0x09, 0x0a, 0x0d].includes(utf8[at])) at++;
  return utf8[at] === 0x7b || utf8[at] === 0x5b;
}
