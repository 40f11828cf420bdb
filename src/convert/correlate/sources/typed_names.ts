import { isWrite, type RecordedCall } from "../../../traffic/session/recorded_call.ts";

/**
 * Maximum length of a string in UTF-16 code units. Longer strings are not treated as names of
 * objects.
 */
const LONGEST = 120;
/** Minimum length of a string in UTF-16 code units. Shorter strings often occur by chance. */
const SHORTEST = 3;
const IN_BODY: ReadonlySet<string> = new Set(["form", "multipart", "json"]);

/**
 * Strings that may name one of the user's objects, such as a title: strings with letters in the
 * bodies of requests that change data. Each is mapped to the `order` (the position in the
 * recording) of the first call that sends it.
 */
export type TypedNames = ReadonlyMap<string, number>;

/**
 * Returns a function that reports whether the user typed a string before the given call. A string
 * that the call is the first to send does not count.
 */
export function isTypedBefore(
  typed: TypedNames,
  { order }: RecordedCall,
): (text: string) => boolean {
  return (text) => typed.size > 0 && (typed.get(text) ?? Infinity) < order;
}

/**
 * Finds the strings that may name one of the user's objects, such as a title, in the bodies of
 * requests that change data. Pages that list such objects show these strings, so a string
 * identifies the row of the user's object.
 */
export function typedNames(calls: readonly RecordedCall[]): TypedNames {
  const found = new Map<string, number>();
  for (const call of calls) {
    if (!isWrite(call)) continue;
    for (const { kind, value, numeric } of call.fields) {
      if (!IN_BODY.has(kind) || numeric || found.has(value)) continue;
      if (value.length < SHORTEST || value.length > LONGEST) continue;
      if (/\p{L}/u.test(value) && !/[\n\r\\]/.test(value)) found.set(value, call.order);
    }
  }
  return found;
}
