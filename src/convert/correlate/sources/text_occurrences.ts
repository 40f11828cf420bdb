import {
  entityRuns,
  escapedRuns,
  percentRuns,
  undoEntities,
  undoEscapes,
  undoPercent,
  type Unescaped,
} from "../../../base/string_escapes.ts";
import type { Transform } from "../../../plan/kinds/extractors.ts";
import type { Found, ValueIndex } from "../../../traffic/session/value_index.ts";

/** An occurrence of a value in text. */
export interface Occurrence extends Found {
  /**
   * Transforms that decode the text to the value. Empty if the text contains the value unchanged.
   */
  readonly transform: Transform[];
}

/** A way to escape or encode text inside other text, such as HTML entities. */
interface TextEncoding {
  readonly transform: Transform;
  /** Yields the ranges that contain encoded characters. */
  runs(text: string): Iterable<[start: number, end: number]>;
  decode(text: string): Unescaped | undefined;
}

/**
 * The encodings, from the outermost to the innermost. For example, a script or JSON may contain
 * HTML, so JSON escapes are decoded before HTML entities.
 */
const ENCODINGS: readonly TextEncoding[] = [
  { transform: "json_decode", runs: escapedRuns, decode: undoEscapes },
  { transform: "json_decode", runs: escapedRuns, decode: undoEscapes },
  { transform: "html_decode", runs: entityRuns, decode: undoEntities },
  { transform: "url_decode", runs: percentRuns, decode: undoPercent },
];

/** Maximum number of unescaped, unencoded occurrences to return for each value. */
const MOST_FOUND = 16;

/**
 * Finds the values of `sought` in `text`: unchanged, and with the escape sequences of JSON,
 * scripts, HTML and URLs, including nested ones. Returns encoded occurrences first, because the
 * escaped form `ab\\` also contains the unescaped value `ab\`. Takes time linear in the length of
 * the text.
 */
export function findOccurrences(text: string, sought: ValueIndex): Occurrence[] {
  const found = sought.find(text, MOST_FOUND);
  const plain = found.map((found): Occurrence => ({ ...found, transform: [] }));
  return [...ENCODINGS.flatMap((_, i) => findEncoded(text, sought, i, [])), ...plain];
}

/**
 * Decodes the ranges of `text` that use the encoding `ENCODINGS[first]`, and finds values in the
 * decoded ranges, including values that also use a later entry of `ENCODINGS`. `done` contains the
 * transforms that were already applied to get `text`.
 */
function findEncoded(
  text: string,
  sought: ValueIndex,
  first: number,
  done: readonly Transform[],
): Occurrence[] {
  const { transform, runs, decode } = ENCODINGS[first];
  if (first > 0 && ENCODINGS[first - 1].transform === transform && done.length === 0) return [];
  const found: Occurrence[] = [];
  for (const [at, until] of runs(text)) {
    const encoded = text.slice(at, until);
    const decoded = decode(encoded);
    if (decoded === undefined) continue;
    const transforms = [...done, transform];
    const inRun = sought.find(decoded.value).map((one) => ({ ...one, transform: transforms }));
    for (let next = first + 1; next < ENCODINGS.length; next++) {
      inRun.push(...findEncoded(decoded.value, sought, next, transforms));
    }
    for (const { value, start, end, transform } of inRun) {
      const [from, to] = [decoded.offsets[start], decoded.offsets[end]];
      if (encoded.slice(from, to) === value) continue;
      found.push({ value, start: at + from, end: at + to, transform });
    }
  }
  return found;
}
