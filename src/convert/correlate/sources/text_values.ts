import type { FoundTokens } from "../../../traffic/har/scan/token_scanner.ts";
import type { RecordedCall } from "../../../traffic/session/recorded_call.ts";
import { boundaryAround, keyBefore, regexAround, returnsOnly } from "./boundary_expression.ts";
import type { FoundValues, Located, WantedValues } from "./source_search.ts";
import { findOccurrences } from "./text_occurrences.ts";

/** Maximum number of occurrences of a value around which to look for boundaries. */
export const MOST_TRIES = 3;

/**
 * Finds the values in the body `text` that look dynamic in a request, and locates each by the text
 * around its first occurrence that has suitable boundaries. Ignores the values in `known`. `tokens`
 * contains the tokens that a scanner found in the text (see `SearchedResponse.tokens`), if it was
 * scanned.
 */
export function addTextValues(
  call: RecordedCall,
  text: string,
  { sent, sought }: Pick<WantedValues, "sent" | "sought">,
  known: ReadonlySet<string>,
  add: FoundValues["add"],
  tokens?: FoundTokens,
): void {
  const tries = new Map<string, number>();
  for (const { value, start, end, transform } of findOccurrences(text, sought, tokens)) {
    const tried = tries.get(value) ?? 0;
    if (tried >= MOST_TRIES || known.has(value) || !sent.sought.get(value)?.sure) continue;
    const located = locateText(text, start, end);
    tries.set(value, located === undefined ? tried + 1 : MOST_TRIES);
    if (located === undefined) continue;
    const { key, extractor } = located;
    add({
      value,
      key,
      source: "html",
      by: "use",
      numeric: false,
      producer: call,
      located: transform.length > 0 ? { ...extractor, transform } : extractor,
    });
  }
}

/** Returns an extractor for `text[start, end)`, and the name before it. */
export function locateText(
  text: string,
  start: number,
  end: number,
): { key: string; extractor: Located } | undefined {
  const around = boundaryAround(text, start, end - start);
  if (around !== undefined) {
    const { key, left, right } = around;
    return { key, extractor: { type: "boundary", left, right } };
  }
  const extractor = regexAround(text, start, end - start);
  if (extractor?.type !== "regex") return undefined;
  if (!returnsOnly(text, extractor.expression, text.slice(start, end))) return undefined;
  return { key: keyBefore(text.slice(Math.max(0, start - LONGEST_KEY), start)), extractor };
}

/** How far before a value to search for the name of the value, in UTF-16 code units. */
const LONGEST_KEY = 60;
