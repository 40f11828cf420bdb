import { headerValue } from "../../traffic/har/har_fields.ts";
import { escapedRuns, escapeRegex, undoEscapes } from "../../base/string_escapes.ts";
import { looksGenerated, nameHint } from "../../traffic/session/dynamic_value.ts";
import { isWrite, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { redirectTarget } from "../../traffic/session/redirects.ts";
import { RequestField } from "../../traffic/session/request_field.ts";
import type { Found, ValueIndex } from "../../traffic/session/value_index.ts";
import { type LinkPart, LinkParts, patternOf, patternsIn } from "./link_parts.ts";
import { haveCommonWord, pathWords, resourceWords, singular } from "./resource_names.ts";
import { boundaryAround, regexAround } from "./sources/boundary_expression.ts";
import type { Candidate, FoundValues, Located, SearchedResponse } from "./sources/source_search.ts";

/** Maximum number of attempts to build an extractor for a link part, one per occurrence. */
const MOST_TRIED = 8;

/**
 * Finds links in responses. Selects the path segments and parameters of these links that later
 * requests use and that would be different on a fresh server:
 *
 * - parts that look generated and queries without a name, in any response;
 * - path segments with a digit in a `Location` header, and, in the response to a write, parameters
 *   with two consecutive digits in this header;
 * - parts that appear for the first time in a response to a write to the same collection, in the
 *   page to which it redirects, or in a page that did not contain them before the write.
 *
 * Unlike the searches in `sources`, this search depends on the order of the responses.
 */
export class LinkSearch {
  readonly #parts: LinkParts;
  readonly #seen = new Set<string>();
  readonly #writes: { readonly order: number; readonly words: readonly string[] }[] = [];
  /**
   * Words in the path of a call that changed data, keyed by the URL to which the call redirected,
   * directly or through other redirects.
   */
  readonly #redirected = new Map<string, readonly string[]>();
  /** Position (`order`) of the first call with each path. Excludes the calls in `#recent`. */
  readonly #firstCalls = new Map<string, number>();
  /** The searched calls since `#firstCalls` was last read, which is rare. */
  #recent: RecordedCall[] = [];

  constructor(calls: readonly RecordedCall[]) {
    this.#parts = new LinkParts(calls);
  }

  /** Searches a response. Responses must be passed in the order in which they ended. */
  search(response: SearchedResponse, found: FoundValues): void {
    const { call } = response;
    const words = this.#wordsOfWrite(call);
    this.#searchLocation(call, words, found);
    if (response.text !== undefined) this.#searchText(call, response.text, words, found);
    this.#recent.push(call);
    if (isWrite(call)) this.#writes.push({ order: call.order, words: pathWords(call) });
    const target = words === undefined ? undefined : redirectTarget(call);
    if (target !== undefined) this.#redirected.set(target, words!);
  }

  /**
   * If a call is a write, returns the words of the collection to which it writes. If a write
   * redirected to the call, returns the words of that write. Otherwise, returns undefined.
   */
  #wordsOfWrite(call: RecordedCall): readonly string[] | undefined {
    if (isWrite(call)) return pathWords(call);
    // Without redirects, no URL needs to be hashed.
    return this.#redirected.size === 0
      ? undefined
      : this.#redirected.get(call.exchange.request.url);
  }

  #searchLocation(call: RecordedCall, words: Words, found: FoundValues): void {
    const location = locationOf(call);
    if (location === undefined) return;
    for (const pattern of patternsIn(location)) {
      const part = this.#parts.get(pattern);
      if (part === undefined || this.#seen.has(pattern)) continue;
      this.#seen.add(pattern);
      const isAddress = part.inPath || part.collection === ""
        ? /\d/.test(part.value)
        : isWrite(call) && /\d\d/.test(part.value);
      if (!isAddress && !looksGenerated(part.value) && !this.#isCreated(part, call, words)) {
        continue;
      }
      if (resourceWords(part.value).length === 0 && !/\d/.test(part.value)) continue;
      const located = locateInLocation(location, part);
      if (located) found.add(candidateOf(part, call, "header", located));
    }
  }

  #searchText(
    call: RecordedCall,
    text: string,
    words: Words,
    found: FoundValues,
  ): void {
    const fresh = new Map<string, number>();
    const links = findInText(text, this.#parts.index);
    for (const { value: pattern, start, end } of links) {
      const tried = fresh.get(pattern) ?? 0;
      if (tried >= MOST_TRIED || (tried === 0 && this.#seen.has(pattern))) continue;
      this.#seen.add(pattern);
      const part = this.#parts.get(pattern)!;
      const isNamed = patternOf(part).startsWith("?") ||
        (/[\d_-]/.test(part.value) && this.#isCreated(part, call, words));
      if (!looksGenerated(part.value) && !isNamed) continue;
      fresh.set(pattern, tried + 1);
      const located = locateInText(text, start, end, part);
      if (located === undefined) continue;
      fresh.set(pattern, MOST_TRIED);
      found.add(candidateOf(part, call, "html", located));
    }
  }

  /**
   * Reports whether `call` or an earlier call seems to have created the object that a part of a
   * link identifies. The response to `call` contains the link. `words` is the result of
   * `#wordsOfWrite` for `call`.
   */
  #isCreated({ value, collection, inPath }: LinkPart, call: RecordedCall, words: Words): boolean {
    if (isWrite(call) && inPath && /\d/.test(value)) return true;
    const collected = resourceWords(collection);
    if (words !== undefined) {
      if (haveCommonWord(words, collected) || (!inPath && nameHint(collection).idLike)) return true;
    }
    const first = this.#firstOrder(call);
    const own = isAbout(call, value) ? pathWords(call) : [];
    return this.#writes.some(({ order, words }) =>
      (order > first && haveCommonWord(words, collected)) || haveCommonWord(words, own)
    );
  }

  /**
   * Returns the position (`order`) of the first searched call with the same path as `call`, or that
   * of `call` if there is none.
   */
  #firstOrder(call: RecordedCall): number {
    for (const recent of this.#recent) {
      const path = pathOf(recent);
      if (!this.#firstCalls.has(path)) this.#firstCalls.set(path, recent.order);
    }
    this.#recent = [];
    return this.#firstCalls.get(pathOf(call)) ?? call.order;
  }
}

/**
 * If a call is a write, the words that name the collection that the call changed. If a write
 * redirected to the call, the words of that write. Otherwise, undefined.
 */
type Words = readonly string[] | undefined;

/** Reports whether a path segment or a query parameter in the URL of a call has the given value. */
function isAbout({ url }: RecordedCall, value: string): boolean {
  return [...url.path, ...url.query].some((piece) =>
    piece instanceof RequestField && piece.value === value
  );
}

/** Returns the URL of a call without its query. */
export function pathOf({ exchange }: RecordedCall): string {
  const { url } = exchange.request;
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

/**
 * Returns an extractor for a part of the link at `text[start, end)`. Returns undefined if the part
 * is escaped there, or if the text around it does not allow an extractor.
 */
function locateInText(
  text: string,
  start: number,
  end: number,
  { value }: LinkPart,
): Located | undefined {
  const from = end - value.length;
  if (from < start || text.slice(from, end) !== value) return undefined;
  const around = boundaryAround(text, from, value.length);
  if (around === undefined) return regexAround(text, from, value.length);
  return { type: "boundary", left: around.left, right: around.right };
}

function candidateOf(
  { value, collection, inPath }: LinkPart,
  producer: RecordedCall,
  source: "html" | "header",
  located: Located,
): Candidate {
  const word = singular(resourceWords(collection).at(-1) ?? "link");
  const key = inPath ? /^\d+$/.test(value) ? "id" : word : collection || "query";
  return {
    value,
    key,
    collection,
    source,
    by: "link",
    numeric: false,
    producer,
    located,
  };
}

/**
 * Finds links in text and, where the text contains escape sequences such as `\\/`, in the decoded
 * text.
 */
function* findInText(text: string, index: ValueIndex): Generator<Found> {
  yield* index.findAll(text, MOST_TRIED);
  if (!text.includes("\\")) return;
  for (const [at, until] of escapedRuns(text)) {
    const { value: decoded, offsets } = undoEscapes(text.slice(at, until));
    for (const { value, start, end } of index.findAll(decoded)) {
      const [from, to] = [at + offsets[start], at + offsets[end]];
      if (text.slice(from, to) !== value) yield { value, start: from, end: to };
    }
  }
}

/** Returns the first `Location` header of a response. */
function locationOf({ exchange }: RecordedCall): string | undefined {
  return headerValue(exchange.response.headers, "location");
}

/**
 * Returns an extractor for a part of the URL in a `Location` header. The extractor finds a path
 * segment by the segment before it, and a parameter by its name. Returns undefined if it would find
 * another value first.
 */
function locateInLocation(
  location: string,
  { value, collection, inPath }: LinkPart,
): Located | undefined {
  const before = escapeRegex(collection);
  const expression = inPath
    ? `\\/${before}\\/([^/?#;]+)`
    : collection === ""
    ? "[?]([^&#]+)"
    : `[?&#]${before}=([^&#]*)`;
  if (new RegExp(expression).exec(location)?.[1] !== value) return undefined;
  return { type: "header", header: "Location", expression };
}
