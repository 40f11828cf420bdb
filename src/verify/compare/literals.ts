import type { Exchange } from "../../traffic/har/recording.ts";
import { dynamicShape, isOpaque } from "../../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";

/** A recorded literal that the server may have generated. */
export interface Literal {
  readonly value: string;
  /**
   * The first earlier exchange whose response contains the literal, or undefined if there is none.
   */
  readonly producer: Exchange | undefined;
}

/** Matches names of response headers whose values clients do not send back. */
const IRRELEVANT =
  /^(?::.*|date|expires|last-modified|age|etag|vary|via|server|alt-svc|cache-control|content-.*|strict-.*|access-control-.*)$/i;

/**
 * Finds the recorded literals in requests that a server may have generated, by searching the recorded
 * responses.
 */
export class Literals {
  /** Maps each word of the responses to the first exchange whose response contains it. */
  readonly #first = new Map<string, Exchange>();
  readonly #known = new Map<RecordedCall, Map<string, readonly Literal[]>>();

  constructor(exchanges: readonly Exchange[]) {
    for (const exchange of exchanges) {
      for (const text of searchedTexts(exchange)) {
        for (const word of splitWords(text)) {
          if (!this.#first.has(word)) this.#first.set(word, exchange);
        }
      }
    }
  }

  /** Lists the literals at one place of a recorded call. `recorded` is the text at that place. */
  at(call: RecordedCall, place: string, recorded: string): readonly Literal[] {
    let places = this.#known.get(call);
    if (places === undefined) this.#known.set(call, places = new Map());
    let found = places.get(place);
    if (found === undefined) places.set(place, found = this.#find(call, recorded));
    return found;
  }

  /** Lists the parts of `text` that look generated and also occur in a response before `call`. */
  among(text: string, call: RecordedCall): (Literal & { readonly producer: Exchange })[] {
    return this.#find(call, text).flatMap(({ value, producer }) =>
      producer ? [{ value, producer }] : []
    );
  }

  #find(call: RecordedCall, recorded: string): Literal[] {
    return generatedPieces(recorded).flatMap((piece) => {
      const producer = this.#producer(piece, call);
      return piece.isRandom || producer !== undefined ? [{ value: piece.value, producer }] : [];
    });
  }

  #producer({ value }: Generated, { exchange }: RecordedCall): Exchange | undefined {
    const firsts = splitRuns(value).map((run) => this.#first.get(run));
    if (!firsts.every((first) => first !== undefined)) return undefined;
    const last = firsts.reduce((a, b) => a.index > b.index ? a : b);
    return last.index < exchange.index ? last : undefined;
  }
}

function searchedTexts({ response: { headers, text } }: Exchange): string[] {
  const kept = headers.filter(({ name }) => !IRRELEVANT.test(name)).map(({ value }) => value);
  return text === undefined ? kept : [...kept, text];
}

const TIMESTAMP = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g;
const TOKEN = /[A-Za-z0-9_+\-.~=]{4,}/g;
const RUN = /[A-Za-z0-9]+/g;
const NUMBER = /\d{4,}/g;
/**
 * Maximum length of a random-looking string, in characters. Longer strings are treated as
 * documents.
 */
const LONGEST = 8_192;

/** A part of a request that the server or a script of the page may have generated. */
export interface Generated {
  readonly value: string;
  /**
   * True if the value looks random. Other values count as generated only if a response contains them.
   */
  readonly isRandom: boolean;
}

/**
 * Lists the parts of `text` that look generated: timestamps, numbers of at least four digits, and
 * random-looking ids and tokens. Does not depend on which values `convert` correlates.
 */
export function generatedPieces(text: string): Generated[] {
  if (looksRandom(text)) return [{ value: text, isRandom: true }];
  const found = new Map<string, boolean>();
  for (const [value] of text.matchAll(TIMESTAMP)) found.set(value, false);
  for (const [token] of text.replaceAll(TIMESTAMP, " ").matchAll(TOKEN)) {
    if (looksRandom(token)) {
      found.set(token, true);
      continue;
    }
    for (const [run] of token.matchAll(RUN)) {
      if (looksRandom(run)) found.set(run, true);
      else for (const [number] of run.matchAll(NUMBER)) found.set(number, false);
    }
  }
  return [...found].map(([value, isRandom]) => ({ value, isRandom }));
}

/**
 * Splits text into words for the search index: alphanumeric sequences, and the numbers of at least
 * four digits within them.
 */
function splitWords(text: string): string[] {
  return [...text.matchAll(RUN), ...text.matchAll(NUMBER)].map(([word]) => word);
}

/** Lists the maximal runs of ASCII letters and digits in a value. */
function splitRuns(value: string): string[] {
  return value.match(RUN) ?? [];
}

/**
 * Reports whether a string looks like a generated id or token rather than text typed by a person.
 */
function looksRandom(text: string): boolean {
  if (text.length < 8 || text.length > LONGEST || !/^[\w+\-.~=/%]+$/.test(text)) return false;
  const shape = dynamicShape(text);
  if (shape !== undefined) return shape !== "number";
  const runs = splitRuns(text);
  const isMixed = runs.some((run) => switches(run) >= 3);
  const isOneToken = runs.length <= 2 && isOpaque(text) && runs.some(({ length }) => length >= 16);
  return isMixed || (isOneToken && /[a-z]/.test(text) && /[A-Z]/.test(text));
}

/**
 * Counts the changes between letters and digits in an alphanumeric sequence, such as 3 in `a1b2`.
 */
function switches(run: string): number {
  return [...run.matchAll(/(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])/g)].length;
}
