import { TEXT_FIELDS, type TypedText } from "./typed_text_index.ts";

/**
 * Returns the typed strings of a recorded call that are most likely required to be unique but that
 * a request sends unchanged. Considers only the first kind that the call contains: names, then
 * descriptions, then phrases. If the request changes all strings of that kind, strings of the other
 * kinds may stay unchanged. `sentAt` returns the text that the request sends at a place.
 */
export function repeatedTexts(
  typed: readonly TypedText[],
  sentAt: (place: string) => string | undefined,
): TypedText[] {
  const kind = TEXT_FIELDS.find((one) => typed.some(({ field }) => field === one));
  return typed.filter(({ field, place, text }) => field === kind && sentAt(place) === text);
}

/**
 * Returns a template, such as `TEXT-${unique}`, that shows how to make a string like `text`
 * different in each iteration.
 */
export function uniqueExample(text: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return "NAME+${unique}@HOST";
  if (/^[^\s/]+\.[A-Za-z]\w{0,4}$/.test(text)) return "NAME-${unique}.EXTENSION";
  return /\s/.test(text) ? "TEXT ${unique}" : "TEXT-${unique}";
}
