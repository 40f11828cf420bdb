import { type NamelessExtractor, rowTemplate } from "../extract/extractors.ts";
import { kindOfRow, rowsShowing, shownText } from "../extract/rows.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { type ComparedResponse, inBody, nameAt, type ValuePair } from "./compared_response.ts";
import { NOTHING_KNOWN } from "../correlation/propose.ts";
import { stablePaths } from "../correlation/propose_json.ts";
import { inRowExtractors } from "../correlation/propose_markup.ts";
import { extractValue, readable } from "../correlation/try_extractor.ts";
import { type Occurrence, viewsOf } from "../correlation/views.ts";

/**
 * Pairs the values in the rows that show `text` with those in the live rows that show `liveText`.
 * `isWanted`: a later request may send a value. Ambiguous if several live rows show the text.
 */
export function pairRows(
  recorded: ComparedResponse,
  live: ComparedResponse,
  text: string,
  liveText: string,
  isWanted: (value: string) => boolean,
): { pair: ValuePair; extractor: NamelessExtractor; isAmbiguous: boolean }[] {
  const places = rowPlaces.getOrInsertComputed(recorded, () => new Map())
    .getOrInsertComputed(
      text,
      () => [...placesInRows(recorded, text)].map((at) => new RowPlace(at, text)),
    );
  return places.flatMap((place) => {
    const { value, at } = place;
    if (value === text || !isWanted(value)) return [];
    for (const extractor of place.extractors) {
      const only = leafText(extractValue(extractor, live, liveText));
      const first = only ??
        leafText(extractValue({ ...extractor, index: "first" }, live, liveText));
      if (first === undefined) continue;
      const name = nameAt(at);
      const pair = { recorded: value, live: first, at, liveAt: at, name, mayMove: false };
      return [{ pair, extractor, isAmbiguous: only === undefined }];
    }
    return [];
  });
}

/** A value in a row that shows a text, and the extractors that find it by the text. */
class RowPlace {
  readonly value: string;
  #extractors: readonly NamelessExtractor[] | undefined;

  constructor(readonly at: Occurrence, readonly text: string) {
    this.value = at.view.text.slice(at.start, at.end);
  }

  get extractors(): readonly NamelessExtractor[] {
    return this.#extractors ??= this.#proposed().filter((extractor) =>
      rowTemplate(extractor) !== undefined &&
      leafText(extractValue(extractor, this.at.view.response, this.text)) === this.value
    );
  }

  #proposed(): NamelessExtractor[] {
    const known = { ...NOTHING_KNOWN, typed: (shown: string) => shown === shownText(this.text) };
    const { place, response } = this.at.view;
    return place.kind === "json"
      ? [...stablePaths(place.path, [readable(response).json], known)]
      : [...inRowExtractors(this.at, known)];
  }
}

// A calibration compares each recorded response with many live ones.
const rowPlaces = new WeakMap<ComparedResponse, Map<string, readonly RowPlace[]>>();

/** Maximum length of a row whose names are read, in UTF-16 code units. */
const LONGEST_NAMED = 2_000;
/** Maximum number of rows of a page whose names are read. */
const MOST_NAMED = 32;
/** Matches the text of an element that names what a user picks. */
const NAME = />\s*((?=[^<>]*\p{L}{3})[\p{L}\p{N}][^<>&@]{0,59}?)\s*(?=<|$)/u;

/**
 * Returns the names by which a user picks a row: its first text, if no other row of its kind shows
 * it, and a later request sends (`isWanted`) a value that only this row contains.
 */
export function namesOfRows(
  page: ComparedResponse,
  isWanted: (value: string) => boolean,
): ReadonlySet<string> {
  const response = readable(page);
  if (response.json !== undefined) return new Set();
  const { markup, rows } = rowsShowing(response, "");
  const named = rows.filter(({ start, end }) =>
    markup[start] === "<" && end - start <= LONGEST_NAMED
  );
  const kinds = Map.groupBy(named, ({ start }) => kindOfRow(markup, start));
  const names = kinds.values().filter(({ length }) => length > 1).flatMap((kind) => {
    const texts = kind.map(({ start, end }) => markup.slice(start, end));
    const read = texts.map((row) => ({
      name: NAME.exec(row)?.[1],
      tokens: new Set(Array.from(row.matchAll(TOKEN), ([token]) => token)),
    }));
    const rowsOf = Map.groupBy(read.flatMap(({ tokens }) => [...tokens]), (token) => token);
    const namesOf = Map.groupBy(read, ({ name }) => name);
    return read.filter(({ name, tokens }) =>
      namesOf.get(name)!.length === 1 &&
      tokens.values().some((token) => rowsOf.get(token)!.length === 1 && isWanted(token))
    ).flatMap(({ name }) => name ?? []);
  });
  return new Set(names.take(MOST_NAMED));
}

/** Matches a token that contains a digit, such as an id in a link, an option or an attribute. */
const TOKEN = /(?<![\w.~%-])(?=[\w.~%-]*\d)[\w.~%-]{1,500}(?![\w.~%-])/g;

function* placesInRows(response: ComparedResponse, text: string): Generator<Occurrence> {
  const body = readable(response);
  if (body.json !== undefined) {
    for (const view of viewsOf(response)) {
      if (view.place.kind === "json") yield { view, start: 0, end: view.text.length };
    }
    return;
  }
  const { markup, showing } = rowsShowing(body, text);
  for (const { start, end } of showing) {
    for (const { 0: value, index } of markup.slice(start, end).matchAll(TOKEN)) {
      yield inBody(response, start + index, value.length);
    }
  }
}
