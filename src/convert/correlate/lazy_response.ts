import { parseJsonResponse } from "../../traffic/har/json_body.ts";
import type { ScannedBody } from "../../traffic/har/body_ring.ts";
import { BodyScanner, jsonStart, LeafSearch, leafSearch } from "../../traffic/har/body_scanner.ts";
import type { BodyThread, SharedSearch } from "../../traffic/har/body_thread.ts";
import type { RecordedResponse } from "../../traffic/har/recording.ts";
import { LeafReader, type ScannedLeaf } from "../../traffic/har/scan/leaf_reader.ts";
import { type EncodedTexts, encodeTexts } from "../../traffic/har/scan/leaf_scanner.ts";
import type { FoundTokens } from "../../traffic/har/scan/token_scanner.ts";
import { decodeText } from "../../traffic/har/text_store.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { longestToken } from "../../traffic/session/text_ranges.ts";
import { SHORTEST_WITHIN } from "../../traffic/session/value_index.ts";
import { numbersToFind } from "./sources/named_values.ts";
import type { SearchedResponse, WantedValues } from "./sources/source_search.ts";

/** A recorded response that is decoded and parsed only when a search reads its text or JSON. */
export class LazyResponse implements SearchedResponse {
  readonly call: RecordedCall;
  readonly leaves: readonly ScannedLeaf[] | undefined;
  readonly utf8: Uint8Array | undefined;
  #text: string | undefined;
  #json: { readonly value: unknown } | undefined;
  #tokens: { readonly found: FoundTokens | undefined } | undefined;
  readonly #filter: BodyFilter;
  readonly #scanned: ScannedBody | undefined;

  /**
   * Wraps the response of `call`. `filter` finds the parts of its body to search. The wrapper is
   * valid until the next response is wrapped.
   */
  constructor(call: RecordedCall, filter: BodyFilter) {
    this.call = call;
    this.#filter = filter;
    const { response } = call.exchange;
    this.#scanned = filter.next(response);
    this.utf8 = this.#scanned === undefined ? response.utf8 : this.#scanned.utf8;
    this.leaves = this.utf8 && filter.findLeaves(this.utf8, response.mimeType, this.#scanned);
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
    return this.utf8 && this.#filter.findTokens(this.utf8, this.text!, this.#scanned);
  }

  #parse(): unknown {
    const { text } = this;
    const { mimeType, payload } = this.call.exchange.response;
    return text === undefined ? undefined : parseJsonResponse(text, mimeType, payload);
  }
}

/**
 * Prefilter for bodies: finds the parts of a body's bytes that may contain a value that a request
 * sends. Most bodies have no such parts, so most of a recording is neither decoded nor parsed. A
 * search for other values must add their tokens to this filter, because it would otherwise miss
 * them.
 */
export class BodyFilter {
  readonly #wanted: WantedValues;
  readonly #links: () => Iterable<string>;
  readonly #hasAllLeaves: boolean;
  readonly #reader = new LeafReader();
  #scanner: BodyScanner | undefined;
  #wantedTokens: readonly string[] | undefined;
  /** Search in which another thread takes part. */
  #shared: SharedSearch | undefined;

  /**
   * Creates a filter. `links` returns the tokens of links that requests use (`LinkSearch.tokens`),
   * and is called only if there is a body. If `hasAllLeaves` is true, all leaves of JSON bodies
   * need to be searched.
   */
  constructor(wanted: WantedValues, links: () => Iterable<string>, hasAllLeaves: boolean) {
    this.#wanted = wanted;
    this.#links = links;
    this.#hasAllLeaves = hasAllLeaves;
  }

  /**
   * Lets `thread` search some of the bodies of `calls`. Afterwards, call `next` for the response of
   * each call, in the same order.
   */
  searchAhead(calls: readonly RecordedCall[], thread: BodyThread): void {
    if (this.#hasAllLeaves) return;
    const bodies: RecordedResponse[] = [];
    const ranges: number[] = [];
    for (const { exchange: { response } } of calls) {
      const { range } = response;
      if (range === undefined) continue;
      bodies.push(response);
      ranges.push(range.offset, range.length);
    }
    if (bodies.length === 0) return;
    const searches = Uint8Array.from(bodies, ({ mimeType }) => leafSearch(mimeType));
    const wanted = this.#wantedTexts();
    const scanner = this.#scanner = this.#startScanner(wanted);
    this.#shared = thread.search({
      ranges: new Float64Array(ranges),
      searches,
      wanted,
      tokens: searches.every((search) => search === LeafSearch.Always)
        ? undefined
        : this.#tokensToFind().join(" "),
      scan(body) {
        const { utf8 } = bodies[body];
        return utf8 && scanner.scan(utf8, searches[body]);
      },
    });
  }

  /**
   * Returns what was found in the next response in advance, or undefined if it was not searched in
   * advance.
   */
  next({ range }: RecordedResponse): ScannedBody | undefined {
    return range && this.#shared?.next();
  }

  /**
   * Returns the leaves of a JSON body that may contain a value, in document order. Returns
   * undefined if the body is not JSON, or if only a parser can find its leaves. A leaf may contain
   * a value if
   *
   * - it or its longest token is a whole value or a token of a request (`RequestValues.known`),
   * - requests send it in another encoding (`WantedValues.encodings`),
   * - it contains the longest token of a value that looks dynamic in a request
   *   (`RequestValues.sought`), even as a part of a longer text, such as a link or a page, and even if
   *   it is percent-encoded,
   * - it contains a token of a link that a request uses, or
   * - it contains escape sequences (`\/`, `\u003d`), which may hide a token.
   *
   * `scanned` is what `next` returned for the response.
   */
  findLeaves(
    utf8: Uint8Array,
    mimeType: string,
    scanned?: ScannedBody,
  ): ScannedLeaf[] | undefined {
    if (this.#hasAllLeaves) return undefined;
    const start = jsonStart(utf8, leafSearch(mimeType));
    if (start < 0) return undefined;
    const text = utf8.subarray(start);
    const leaves = scanned === undefined ? this.#startedScanner.findLeaves(text) : scanned.leaves;
    return leaves && this.#reader.read(leaves, text);
  }

  /**
   * For a body that is not JSON, returns the tokens in it that may be part of a value that a
   * request sends: the longest tokens of the values that look dynamic in a request
   * (`WantedValues.sought`), numbers of up to seven digits that requests send (`numbersToFind`),
   * and the tokens of links. `utf8` and `text` are the content of the body. Returns undefined if
   * the caller must search `text` instead, because it contains too many of these tokens, or because
   * the bytes may be invalid. `scanned` is the result of `next` for the response.
   */
  findTokens(utf8: Uint8Array, text: string, scanned?: ScannedBody): FoundTokens | undefined {
    const found = scanned === undefined || scanned.leaves !== undefined
      ? this.#startedScanner.findTokens(utf8)
      : scanned.tokens && { wanted: this.#tokensToFind(), ...scanned.tokens };
    return found === undefined || (!found.isAscii && text.includes(REPLACEMENT))
      ? undefined
      : found;
  }

  get #startedScanner(): BodyScanner {
    return this.#scanner ??= this.#startScanner(this.#wantedTexts());
  }

  #startScanner(wanted: EncodedTexts): BodyScanner {
    return new BodyScanner(wanted, () => this.#tokensToFind());
  }

  #wantedTexts(): EncodedTexts {
    const { sent, encodings } = this.#wanted;
    const values = [...sent.known(), ...encodings.sources()];
    const parts = [...this.#links()];
    for (const value of sent.sought.keys()) {
      const isNumber = value.length < SHORTEST_WITHIN && /^\d+$/.test(value);
      if (value.length < SHORTEST_WITHIN && !isNumber) continue;
      const [start, end] = longestToken(value);
      const token = value.slice(start, end);
      parts.push(token);
      // The hexadecimal digits of a percent-encoded character form one token with the letters or
      // digits after it.
      const hex = value.charCodeAt(start - 1).toString(16);
      if (start === 0 || hex.length !== 2) continue;
      parts.push(hex + token);
      parts.push(hex.toUpperCase() + token);
    }
    return encodeTexts(values, parts);
  }

  #tokensToFind(): readonly string[] {
    const { sought, sent } = this.#wanted;
    return this.#wantedTokens ??= [
      ...new Set([...sought.tokens(), ...numbersToFind(sent), ...this.#links()]),
    ];
  }
}

/** Character that replaces invalid bytes when they are decoded. */
const REPLACEMENT = "\ufffd";
