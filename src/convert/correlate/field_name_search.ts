import {
  isFirstPosition,
  type NumberInName,
  numbersInName,
} from "../../traffic/session/form_names.ts";
import { nameHint } from "../../traffic/session/dynamic_value.ts";
import { isWrite, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { redirectTarget } from "../../traffic/session/redirects.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { pathOf } from "./link_search.ts";
import { pathWords, resourceWords } from "./resource_names.ts";
import { boundaryAround } from "./sources/boundary_expression.ts";
import type { Candidate, FoundValues, Located, SearchedResponse } from "./sources/source_search.ts";

/**
 * Minimum length of the longest token of a name. Names with only shorter tokens are not searched
 * for, because that would be slow.
 */
const SHORTEST_TOKEN = 3;
/** Maximum number of attempts to build an extractor for a number, one per occurrence of the name. */
const MOST_TRIED = 8;
/** Matches the name of an element of a form. */
const NAME = /\bname\s*=\s*["']?([^\s"'<>]{1,200})/gi;
/** Matches the text before the value of an attribute `name`. */
const NAME_BEFORE = /\bname\s*=\s*["']?$/i;
/** How far before a name to search for `NAME_BEFORE`, in UTF-16 code units. */
const LONGEST_BEFORE = 20;

/**
 * Finds ids of one to three digits that occur only in the names of form fields, such as `2` in
 * `Complete-Reminder-2`. Selects a number if all of these conditions are met:
 *
 * - A later request sends a form field with this name.
 * - No request sends the number as an id before the page contains the name.
 * - No field of the page has the number 0 or 1 in its place, so it is not the position of a row.
 * - The name appears for the first time after a write: in the response to the write, in the page to
 *   which it redirects, or in a page that did not contain it before the write.
 * - The name, without the number, has a word in common with the path of the write or with the name
 *   of a field in it.
 *
 * Like `LinkSearch`, this search depends on the order of the responses.
 */
export class FieldNameSearch {
  readonly #calls: readonly RecordedCall[];
  #known: SentNames | undefined;
  readonly #seen = new Set<string>();
  /** Position (`order`) of the last write with each word. */
  readonly #writes = new Map<string, number>();
  /** Words of a write, keyed by the URL to which it redirects. */
  readonly #redirected = new Map<string, Words>();
  /** Position (`order`) of the first call with each path. */
  readonly #firstCalls = new Map<string, number>();

  constructor(calls: readonly RecordedCall[]) {
    this.#calls = calls;
  }

  get #sent(): SentNames {
    return this.#known ??= sentNames(this.#calls);
  }

  /** Searches a response. Responses must be passed in the order in which they ended. */
  search(response: SearchedResponse, found: FoundValues): void {
    if (this.#sent.names.size === 0) return;
    const { call } = response;
    const words = isWrite(call)
      ? wordsOf(call)
      : this.#redirected.get(call.exchange.request.url) ?? NONE;
    const path = pathOf(call);
    const first = this.#firstCalls.get(path) ?? call.order;
    this.#firstCalls.set(path, first);
    if (response.json === undefined && call.exchange.response.mimeType.includes("html")) {
      this.#searchPage(response, first, words, found);
    }
    if (isWrite(call)) { for (const word of words) this.#writes.set(word, call.order); }
    const target = words.size === 0 ? undefined : redirectTarget(call);
    if (target !== undefined) this.#redirected.set(target, words);
  }

  #searchPage(
    { call, text }: SearchedResponse,
    first: number,
    words: Words,
    found: FoundValues,
  ): void {
    if (text === undefined) return;
    const { names, index } = this.#sent;
    let positions: ReadonlySet<string> | undefined;
    for (const [name, starts] of startsIn(text, index)) {
      if (this.#seen.has(name) || !starts.some((start) => isName(text, start))) continue;
      this.#seen.add(name);
      for (const { number, firstSent } of names.get(name)!) {
        const isNew = resourceWords(number.title).some((word) =>
          words.has(word) || (this.#writes.get(word) ?? -1) > first
        );
        positions ??= positionsIn(text);
        if (!isNew || firstSent < call.order || positions.has(number.family)) continue;
        const located = locate(text, starts, number);
        if (located !== undefined) found.add(candidateOf(number, call, located));
      }
    }
  }
}

/** Words of a write, or of a write that redirected to a page. Empty for other calls. */
type Words = ReadonlySet<string>;

const NONE: Words = new Set();

/** A number in the name of a form field that requests send. */
interface SentNumber {
  readonly number: NumberInName;
  /** Position (`order`) of the first call that sends the number as an id. */
  readonly firstSent: number;
}

interface SentNames {
  /** The numbers that may be ids, by the whole name. */
  readonly names: ReadonlyMap<string, readonly SentNumber[]>;
  /** Index of the names. */
  readonly index: ValueIndex;
}

function sentNames(calls: readonly RecordedCall[]): SentNames {
  const names = new Map<string, SentNumber[]>();
  const index = new ValueIndex(SHORTEST_TOKEN, SHORTEST_TOKEN);
  const firstSent = new Map<string, number>();
  for (const { fields, order } of calls) {
    for (const field of fields) {
      const { kind, name, value } = field;
      if (kind !== "name" && (kind === "path" || nameHint(name).idLike) && !firstSent.has(value)) {
        firstSent.set(value, order);
      }
      if (kind !== "name" || names.has(value)) continue;
      const parts = field.parts();
      const numbers = parts.length === 0
        ? []
        : numbersInName(value).filter(({ start, title }) =>
          parts.some((part) => part.start === start && part.name === title)
        );
      if (numbers.length === 0) continue;
      index.add(value);
      names.set(value, numbers.map((number) => ({ number, firstSent: Infinity })));
    }
  }
  for (const numbers of names.values()) {
    for (const [i, { number }] of numbers.entries()) {
      numbers[i] = { number, firstSent: firstSent.get(number.value) ?? Infinity };
    }
  }
  return { names, index };
}

/** Returns the offsets of the names of `index` in a page, by name: at most 8 for each name. */
function startsIn(text: string, index: ValueIndex): ReadonlyMap<string, readonly number[]> {
  const starts = new Map<string, number[]>();
  for (const { value, start } of index.findAll(text)) {
    const known = starts.get(value);
    if (known === undefined) starts.set(value, [start]);
    else if (known.length < MOST_TRIED) known.push(start);
  }
  return starts;
}

/** Reports whether the text at `start` is the value of an attribute `name`. */
function isName(text: string, start: number): boolean {
  return NAME_BEFORE.test(text.slice(Math.max(0, start - LONGEST_BEFORE), start));
}

/** Returns the families of numbers (`NumberInName.family`) in a page that are probably positions. */
function positionsIn(html: string): ReadonlySet<string> {
  const families = new Set<string>();
  for (const [, name] of html.matchAll(NAME)) {
    for (const { value, family } of numbersInName(name)) {
      if (isFirstPosition(value)) families.add(family);
    }
  }
  return families;
}

/**
 * Returns an extractor for a number in a name. `starts` contains the offsets of the name in `text`.
 * Returns undefined if no text before the number is unique.
 */
function locate(
  text: string,
  starts: readonly number[],
  { value, start: offset }: NumberInName,
): Located | undefined {
  for (const start of starts) {
    const around = boundaryAround(text, start + offset, value.length);
    if (around === undefined) continue;
    // A live page is more likely to contain a part of the name elsewhere than the whole name.
    const before = text.slice(start, start + offset);
    const left = around.left.length < before.length ? before : around.left;
    return { type: "boundary", left, right: around.right };
  }
  return undefined;
}

function candidateOf(
  { value, title }: NumberInName,
  producer: RecordedCall,
  located: Located,
): Candidate {
  return { value, key: title, source: "html", by: "field name", numeric: false, producer, located };
}

/** Returns the words of a write: those of its path, and of the names of fields with a value. */
function wordsOf(call: RecordedCall): Words {
  const words = call.fields.flatMap(({ kind, name, value }) =>
    BODY.has(kind) && value !== "" ? resourceWords(name) : []
  );
  return new Set([...pathWords(call), ...words]);
}

const BODY: ReadonlySet<string> = new Set(["form", "multipart", "json"]);
