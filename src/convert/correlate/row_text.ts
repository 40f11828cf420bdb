import { random } from "../../base/random.ts";
import { compileExtractor } from "../../extract/extractors.ts";
import { rowsIn, shownText, shownTexts, showsText, type TextRange } from "../../extract/rows.ts";
import { literal } from "../../plan/text/template.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { rowExtractors } from "../../correlation/propose_markup.ts";
import { RecordedView } from "../../traffic/session/recorded_view.ts";
import type { Candidate, Located } from "./sources/source_search.ts";
import type { RowNames } from "./sources/typed_names.ts";

/**
 * How far before and after a value to search for the row that contains it, in UTF-16 code units.
 */
const AROUND = 16_384;

/**
 * Returns the candidate with an extractor that finds the value's row in a list by a string that the
 * user typed, such as the title of an object. Unlike a position, the string identifies the row even
 * if rows of other users precede it. Returns the candidate unchanged if its row contains no such
 * string, or if other rows with different values contain the same string.
 */
export function withRowText(candidate: Candidate, typed: RowNames): Candidate {
  const { source, producer, value } = candidate;
  const { response } = producer.exchange;
  if (source !== "html" || typed.isEmpty || !/html|xml/.test(response.mimeType)) {
    return candidate;
  }
  const { located } = candidate;
  if (located.type !== "boundary" && located.type !== "regex") return candidate;
  const { text } = response;
  if (text === undefined) return candidate;
  const at = valueOffset(text, located, value);
  const found = at === undefined ? undefined : locateInRow(producer, text, at, value, typed);
  if (found === undefined) return candidate;
  const { transform } = located as { readonly transform?: Located["transform"] };
  const stable = { ...found, ...(transform && { transform }) } as Located;
  return { ...candidate, located: stable };
}

/**
 * Returns an extractor for the value at `text[at]`. The extractor identifies the value's row by a
 * string that the user typed before the call `producer`, whose response contains `text`. Prefers a
 * string that no other row contains, because a string that several rows share, such as a tag, may
 * later identify the wrong row. Returns undefined if no such extractor returns the value.
 */
export function locateInRow(
  producer: RecordedCall,
  text: string,
  at: number,
  value: string,
  typed: RowNames,
): Located | undefined {
  const from = Math.max(0, at - AROUND);
  const near = text.slice(from, at + AROUND);
  let shared: Located | undefined;
  for (const row of rowsIn(near, at - from)) {
    const shown = shownTexts(near.slice(row.start, row.end));
    for (const name of typed.before(producer.order)) {
      if (!shown.has(shownText(name)) || !typed.isTyped(name)) continue;
      for (const located of rowExtractors(near, row, at - from, value)) {
        const found = { ...located, row: literal(name) } as Located;
        if (!returnsValue(producer, found, value)) continue;
        if (!isInOtherRow(near, row, name)) return found;
        shared ??= found;
        break;
      }
    }
  }
  return shared;
}

/** Reports whether a row that does not overlap `row` contains the string `name`. */
function isInOtherRow(text: string, row: TextRange, name: string): boolean {
  return rowsIn(text).some(({ start, end }) =>
    (end <= row.start || start >= row.end) && showsText(text.slice(start, end), name)
  );
}

/**
 * Returns the offset in `text` of the value that `located` finds by the text around it. Returns
 * undefined if `located` finds the value in another way, or does not find it.
 */
export function valueOffset(text: string, located: Located, value: string): number | undefined {
  if ("row" in located) return undefined;
  if (located.type === "boundary") {
    const at = text.indexOf(located.left) + located.left.length;
    return text.startsWith(value, at) ? at : undefined;
  }
  if (located.type !== "regex") return undefined;
  const match = new RegExp(located.expression, "d").exec(text);
  return match?.[1] === value ? match.indices?.[1]?.[0] : undefined;
}

/** Reports whether an extractor returns `value` from the recorded response to a call. */
export function returnsValue({ exchange }: RecordedCall, located: Located, value: string): boolean {
  try {
    return compileExtractor(located).take(new RecordedView(exchange.response), random(1)) === value;
  } catch {
    return false; // Several rows show the text.
  }
}
