import { nameOf } from "../correlation/align.ts";
import { NOTHING_KNOWN } from "../correlation/propose.ts";
import { stablePaths } from "../correlation/propose_json.ts";
import { inRowExtractors } from "../correlation/propose_markup.ts";
import { extractValue } from "../correlation/try_extractor.ts";
import { inBody, type ValuePair } from "../correlation/compared_response.ts";
import { type Occurrence, viewsOf } from "../correlation/views.ts";
import { type NamelessExtractor, rowTemplate } from "../extract/extractors.ts";
import { rowsIn, shownText, showsText } from "../extract/rows.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";

/** A value in a row of a list, and the extractor that finds it by a text in the row. */
export interface RowPair {
  readonly pair: ValuePair;
  readonly extractor: NamelessExtractor;
  /** True if several live rows show the text, so that `pair.live` may be wrong. */
  readonly isAmbiguous: boolean;
}

/**
 * Finds the list rows that show `text`, and pairs the values in them with those in the live rows
 * that show `liveText`, regardless of their positions. `isWanted` reports whether a later request
 * may send a value.
 */
export function pairRows(
  recorded: ResponseSnapshot,
  live: ResponseSnapshot,
  text: string,
  liveText: string,
  isWanted: (value: string) => boolean,
): RowPair[] {
  const known = { ...NOTHING_KNOWN, typed: (shown: string) => shown === shownText(text) };
  return [...placesIn(recorded, text)].flatMap((at): RowPair[] => {
    const value = at.view.text.slice(at.start, at.end);
    if (value === text || !isWanted(value)) return [];
    const { place } = at.view;
    const proposed = place.kind === "json"
      ? stablePaths(place.path, [recorded.view.json], known)
      : inRowExtractors(at, known);
    for (const extractor of proposed) {
      if (rowTemplate(extractor) === undefined) continue;
      if (leafText(extractValue(extractor, recorded, text)) !== value) continue;
      const only = leafText(extractValue(extractor, live, liveText));
      const first = only ??
        leafText(extractValue({ ...extractor, index: "first" }, live, liveText));
      if (first === undefined) continue;
      const name = nameOf(at);
      const pair = { recorded: value, live: first, at, liveAt: at, name, mayMove: false };
      return [{ pair, extractor, isAmbiguous: only === undefined }];
    }
    return [];
  });
}

/** Matches a token that contains a digit, such as an id in a link, an option or an attribute. */
const TOKEN = /(?<![\w.~%-])(?=[\w.~%-]*\d)[\w.~%-]{1,500}(?![\w.~%-])/g;

/** Yields the places of values that may be in a row: JSON leaves, or tokens in rows of a page. */
function* placesIn(response: ResponseSnapshot, text: string): Generator<Occurrence> {
  if (response.view.json !== undefined) {
    for (const view of viewsOf(response)) {
      if (view.place.kind === "json") yield { view, start: 0, end: view.text.length };
    }
    return;
  }
  const body = response.view.text;
  for (const { start, end } of rowsIn(body)) {
    const row = body.slice(start, end);
    if (!showsText(row, text)) continue;
    for (const { 0: value, index } of row.matchAll(TOKEN)) {
      yield inBody(response, start + index, value.length);
    }
  }
}
