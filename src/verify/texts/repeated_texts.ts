import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { TEXT_FIELDS, type TypedText } from "./typed_text_index.ts";

/**
 * Matches the name of a place in a request that contains the file name of an upload, such as
 * `multipart avatar filename`.
 */
const FILE_NAME = /^multipart (.*) filename$/s;

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
 * Returns the name of the file that a request uploads at a place, or undefined if it does not
 * upload a file there.
 */
export function fileNameAt(place: string, { body }: RecordedCall): string | undefined {
  const [, name] = FILE_NAME.exec(place) ?? [];
  if (name === undefined || body?.kind !== "multipart") return undefined;
  return body.parts.find(({ recorded }) => recorded.name === name)?.recorded.filename;
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
