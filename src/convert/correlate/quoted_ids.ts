import { parseJsonResponse } from "../../traffic/har/json_body.ts";
import { nameHint } from "../../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestValues } from "./sources/request_values.ts";
import type { CandidatePool } from "./candidate_pool.ts";
import { isAfter } from "./effect.ts";
import { returnsValue } from "./row_text.ts";
import type { Candidate } from "./sources/source_search.ts";
import { leftWord, locateQuoted, MOST_TRIES } from "./sources/text_values.ts";

/** Maximum length of a body that is searched, in UTF-16 code units. */
const LONGEST_BODY = 2 ** 20;
/** Maximum number of responses from which the plan takes the same id. */
const MOST_PRODUCERS = 48;

const WORD = /^[\w-]{5,7}$/;
const LETTER_TO_DIGIT = /[A-Za-z](?=\d)|\d(?=[A-Za-z])/g;
/** Matches the letters of one word or of an abbreviation, with digits after them. */
const PLAIN = /^(?:[A-Z]?[a-z]*|[A-Z]+)[-_]?\d*$/;
/** Matches a string of 4 to 7 characters in quotes. The quotes can be escaped. */
const QUOTED = /(\\*["']|&quot;|&#0?39;)([\w-]{4,7})\1/g;

/**
 * Finds short generated ids, such as `f7CP2`, that responses contain between quotes in scripts or
 * other text that is not JSON. Adds to `pool` the values of requests that `ShortIds` accepts, that
 * `pool` does not contain, and that a response contains between quotes.
 *
 * A server can use an id again for another object. If several responses contain the id after the
 * same word, each request therefore takes it from the last of these responses before the request.
 */
export function addQuotedIds(
  calls: readonly RecordedCall[],
  { sought }: RequestValues,
  pool: CandidatePool,
): void {
  const ids = new ShortIds(sought);
  if (ids.isEmpty) return;
  const sent = findSent(calls, ids);
  for (const value of sent.keys()) if (pool.has(value)) sent.delete(value);
  if (sent.size === 0) return;
  const isId = (word: string) => sent.has(word) || ids.has(word);
  for (const [value, sources] of findSources(calls, sent)) {
    const needed = neededSources(sources, sent.get(value)!.calls);
    for (const [i, source] of needed.slice(0, MOST_PRODUCERS).entries()) {
      const located = locate(source, value, isId);
      if (located === undefined) continue;
      pool.add({
        value,
        source: "html",
        by: "quoted",
        numeric: false,
        producer: source.call,
        replacedBy: needed[i + 1]?.call,
        ...located,
      });
    }
  }
}

/**
 * Recognizes the short generated ids of a recording: values of 5 to 7 characters that
 *
 * - change at least twice between letters and digits, as `f7CP2` and `z_4lh` do, and fill a field
 *   whose name suggests an id,
 * - start like these values, and differ from one of them only in the last character, or also change
 *   at least twice between letters and digits, in any field,
 * - or differ from each other only in the last character, which is a letter in some and a digit in
 *   others, as `gQIZa` and `gQIZ2` do, unless the characters before it are one word.
 */
class ShortIds {
  /** The recognized values without their last characters. */
  readonly #stems = new Set<string>();
  /** The first 4 characters of the recognized values. */
  readonly #heads = new Set<string>();

  /** Finds the ids among the values in `sought` that fields with the name of an id contain. */
  constructor(sought: RequestValues["sought"]) {
    /** The kinds of last characters, by the characters before them: 1 for a letter, 2 for a digit. */
    const ends = new Map<string, number>();
    for (const [value, { named }] of sought) {
      if (value.length < 5 || value.length > 7 || !named || !WORD.test(value)) continue;
      const stem = stemOf(value);
      const end = (ends.get(stem) ?? 0) | (/\d$/.test(value) ? 2 : 1);
      ends.set(stem, end);
      if (!changesTwice(value) && (end !== 3 || PLAIN.test(stem))) continue;
      this.#stems.add(stem);
      this.#heads.add(value.slice(0, 4));
    }
  }

  get isEmpty(): boolean {
    return this.#stems.size === 0;
  }

  /** Reports whether a value in any field or response is one of the ids, or similar to one. */
  has(value: string): boolean {
    return WORD.test(value) && (this.#stems.has(stemOf(value)) ||
      this.#heads.has(value.slice(0, 4)) && changesTwice(value));
  }
}

/** Returns a string without its last character. */
function stemOf(value: string): string {
  return value.slice(0, -1);
}

/** Reports whether a value changes at least twice between letters and digits. */
function changesTwice(value: string): boolean {
  return (value.replace(/[-_]/g, "").match(LETTER_TO_DIGIT)?.length ?? 0) > 1;
}

/** An id in requests. */
interface SentId {
  /** The calls that send the id. */
  readonly calls: RecordedCall[];
  /**
   * Names of the fields that contain the id, without a final `id`. Empty if the value itself looks
   * like a generated id. Otherwise, a response must contain it under one of these names.
   */
  readonly names: Set<string>;
}

/**
 * Returns the ids in requests: values that `ids` accepts, and other values of 4 to 7 characters in
 * fields whose name ends in `id`.
 */
function findSent(calls: readonly RecordedCall[], ids: ShortIds): Map<string, SentId> {
  const sent = new Map<string, SentId>();
  const add = (call: RecordedCall, name: string, value: string) => {
    if (value.length < 4 || value.length > 7) return;
    const isNamed = /id$/i.test(name) && /^\w*[-_\d]\w*$/.test(value) && !/^\d+$/.test(value);
    const isId = ids.has(value) || (isNamed && WORD.test(value) && changesTwice(value));
    if (!isId && !isNamed) return;
    let known = sent.get(value);
    if (known === undefined) sent.set(value, known = { calls: [], names: new Set() });
    if (known.calls.at(-1) !== call) known.calls.push(call);
    if (!isId) known.names.add(name.replace(/[-_]?id$/i, "").toLowerCase());
  };
  for (const call of calls) {
    for (const field of call.fields) {
      if (field.kind === "header") continue;
      add(call, field.name, field.value);
      for (const { start, end, name } of field.parts()) {
        add(call, name, field.value.slice(start, end));
      }
    }
  }
  return sent;
}

/** A response that contains an id between quotes. */
interface Source {
  readonly call: RecordedCall;
  /** Offsets of the id in the body, in UTF-16 code units. */
  readonly starts: readonly number[];
}

/**
 * Returns the responses that contain each of the ids between quotes, in the order of the calls. Of
 * several responses, returns those that contain the id after the same word as the first one.
 */
function findSources(
  calls: readonly RecordedCall[],
  sent: ReadonlyMap<string, SentId>,
): Map<string, Source[]> {
  const last = Math.max(...[...sent.values()].map(({ calls }) => calls.at(-1)!.order));
  const found = new Map<string, Source[]>();
  /** The words before each id in the first response that contains it. */
  const words = new Map<string, Set<string>>();
  for (const call of calls) {
    if (call.order >= last) break;
    const text = searchedText(call);
    const inText = new Map<string, { start: number; left: string }[]>();
    for (const { 1: quote, 2: value, index } of text?.matchAll(QUOTED) ?? []) {
      const names = sent.get(value)?.names;
      if (names === undefined) continue;
      const start = index + quote.length;
      const left = leftWord(text!, start);
      if (names.size > 0 && !names.has(bareName(left))) continue;
      if (words.get(value)?.has(left) === false) continue;
      const places = inText.get(value);
      if (places === undefined) inText.set(value, [{ start, left }]);
      else places.push({ start, left });
    }
    if (inText.size === 0) continue;
    const { mimeType, payload } = call.exchange.response;
    if (parseJsonResponse(text!, mimeType, payload) !== undefined) continue;
    for (const [value, places] of inText) {
      const source = { call, starts: places.slice(0, MOST_TRIES).map(({ start }) => start) };
      const known = found.get(value);
      if (known !== undefined) known.push(source);
      else {
        found.set(value, [source]);
        words.set(value, new Set(places.map(({ left }) => left)));
      }
    }
  }
  return found;
}

/** Returns the body of a response, or undefined if it was not recorded or is too long. */
function searchedText({ exchange: { response } }: RecordedCall): string | undefined {
  const { text } = response;
  return text === undefined || text.length > LONGEST_BODY ? undefined : text;
}

/** Returns the word at the start of `left`, in lower case and without a final `id`. */
function bareName(left: string): string {
  return (/^\w+/.exec(left)?.[0] ?? "").replace(/[-_]?id$/i, "").toLowerCase();
}

/**
 * Returns the first extractor that returns the id from the response, and a name for its variable.
 * Returns undefined if no extractor does.
 */
function locate(
  { call, starts }: Source,
  value: string,
  isId: (word: string) => boolean,
): Pick<Candidate, "key" | "located"> | undefined {
  const text = searchedText(call)!;
  for (const start of starts) {
    const located = locateQuoted(text, start, value.length, isId);
    if (located === undefined || !returnsValue(call, located, value)) continue;
    const word = /^\w+/.exec(leftWord(text, start))?.[0] ?? "";
    const key = word === "" || isId(word) ? "id" : nameHint(word).idLike ? word : `${word}_id`;
    return { key, located };
  }
  return undefined;
}

/**
 * Returns those of the sources, in the order of their calls, from which a call takes the value,
 * because no later source is before the call.
 */
function neededSources(
  sources: readonly Source[],
  senders: readonly RecordedCall[],
): readonly Source[] {
  return sources.filter(({ call }, i) => {
    const next = sources[i + 1]?.call;
    return senders.some((sender) =>
      isAfter(sender, call) && (next === undefined || !isAfter(sender, next))
    );
  });
}
