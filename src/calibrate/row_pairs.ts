import { isMap } from "../base/exact_number.ts";
import type { NamelessExtractor } from "../extract/extractors.ts";
import { rowsIn, shownText, showsText } from "../extract/rows.ts";
import { nameOf } from "../correlation/align.ts";
import { NOTHING_KNOWN } from "../correlation/propose.ts";
import { inRowExtractors } from "../correlation/propose_markup.ts";
import { literal } from "../plan/text/template.ts";
import { inBody, type ValuePair, wholeText } from "../correlation/value_pair.ts";
import type { Occurrence } from "../correlation/views.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { formatPath } from "../correlation/propose_json.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";
import type { RowText } from "./unique_trial.ts";
import { extractValue } from "../correlation/try_extractor.ts";

/**
 * A recorded value in a row of a list, the corresponding live value, and the extractor that finds
 * both by another string in the same row.
 */
export interface RowPair {
  readonly pair: ValuePair;
  /**
   * Extractor that finds the value. Its `row` option is the recorded string that identifies the
   * row.
   */
  readonly extractor: NamelessExtractor;
  /**
   * True if several rows of the live response contain the string, so that `pair.live` may be wrong.
   */
  readonly isAmbiguous: boolean;
}

/** A value in a recorded row of a list, and extractors for it. */
interface Found {
  readonly value: string;
  readonly name: string;
  readonly at: Occurrence;
  readonly extractors: Iterable<NamelessExtractor>;
}

/**
 * Finds the list rows that contain a given string, and pairs the values in the recorded rows with
 * those in the live rows. The position of the rows is ignored. `isWanted` reports whether a later
 * request may send a value.
 */
export function findRowPairs(
  recorded: ResponseSnapshot,
  live: ResponseSnapshot,
  text: RowText,
  isWanted: (value: string) => boolean,
): RowPair[] {
  const body = recorded.text ?? "";
  if (body === "") return [];
  const { json } = recorded.view;
  const found = json === undefined
    ? inMarkup(recorded, text.recorded)
    : inJson(recorded, text.recorded);
  const row = literal(text.recorded);
  return [...found].flatMap(({ value, name, at, extractors }): RowPair[] => {
    if (!isWanted(value)) return [];
    for (const one of extractors) {
      const extractor = { ...one, row } as NamelessExtractor;
      if (leafText(extractValue(extractor, recorded, text.recorded)) !== value) continue;
      const only = leafText(extractValue(extractor, live, text.live));
      const first = only ??
        leafText(extractValue({ ...extractor, index: "first" }, live, text.live));
      if (first === undefined) continue;
      const pair = { recorded: value, live: first, at, liveAt: at, name, mayMove: false };
      return [{ pair, extractor, isAmbiguous: only === undefined }];
    }
    return [];
  });
}

/** Matches a token that contains a digit, such as an id in a link, an option or an attribute. */
const TOKEN = /(?<![\w.~%-])(?=[\w.~%-]*\d)[\w.~%-]{1,500}(?![\w.~%-])/g;

function* inMarkup(response: ResponseSnapshot, text: string): Generator<Found> {
  const body = response.view.text;
  const known = { ...NOTHING_KNOWN, typed: (shown: string) => shown === shownText(text) };
  for (const { start, end } of rowsIn(body)) {
    const row = body.slice(start, end);
    if (!showsText(row, text)) continue;
    for (const { 0: value, index } of row.matchAll(TOKEN)) {
      const at = inBody(response, start + index, value.length);
      yield { value, name: nameOf(at), at, extractors: inRowExtractors(at, known) };
    }
  }
}

/** Maximum depth, within an array element, of the members that are considered. */
const DEEPEST = 2;

function* inJson(response: ResponseSnapshot, text: string): Generator<Found> {
  for (const { path, element } of elementsIn(response.view.json, [])) {
    const leaves = [...leavesOf(element, [])];
    if (!leaves.some(({ value }) => value === text)) continue;
    for (const { steps, value } of leaves) {
      const found = leafText(value);
      if (found === undefined || found === text) continue;
      yield {
        value: found,
        name: steps.at(-1)!,
        at: wholeText(response, found, steps.at(-1)!, {
          kind: "json",
          path: [...path, ...steps],
          isNumber: typeof value !== "string",
        }),
        extractors: [{
          type: "jsonpath",
          expression: `${formatPath(path.slice(0, -1))}[*]${formatPath(steps).slice(1)}`,
        }],
      };
    }
  }
}

interface Element {
  readonly path: readonly (string | number)[];
  readonly element: Record<string, unknown>;
}

/** Yields the objects that are elements of arrays in `value`, and their paths. */
function* elementsIn(value: unknown, path: readonly (string | number)[]): Generator<Element> {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      if (isMap(item)) yield { path: [...path, i], element: item };
      yield* elementsIn(item, [...path, i]);
    }
  } else if (isMap(value)) {
    for (const [name, member] of Object.entries(value)) yield* elementsIn(member, [...path, name]);
  }
}

function* leavesOf(
  value: unknown,
  steps: readonly string[],
): Generator<{ readonly steps: readonly string[]; readonly value: unknown }> {
  if (!isMap(value)) return yield { steps, value };
  if (steps.length > DEEPEST) return;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(member)) yield* leavesOf(member, [...steps, name]);
  }
}
