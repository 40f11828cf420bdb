import type { TextPair } from "./align_text.ts";
import type { ComparedResponse } from "./compared_response.ts";
import type { KnownPairs } from "./known_pairs.ts";
import { encodedRange, type JsonPath, type Occurrence, outerPlace, type Place } from "./views.ts";

/**
 * A recorded value, the live value that the server generated instead, and where both occur in the
 * response.
 */
export interface ValuePair {
  readonly recorded: string;
  readonly live: string;
  readonly at: Occurrence;
  readonly liveAt: Occurrence;
  /**
   * Name of the JSON member, form field, parameter, header or cookie that contains the value. Empty
   * if it has no name.
   */
  readonly name: string;
  /**
   * True if responses can have the same values at different locations, as in a list or in the text
   * of a page. If so, a recorded value that occurs elsewhere in the live response has only moved.
   */
  readonly mayMove: boolean;
}

/** The two responses whose values are compared, and the pairs of values that are known. */
export interface Compared {
  readonly recorded: ComparedResponse;
  readonly live: ComparedResponse;
  readonly known: KnownPairs;
}

/** Returns the occurrence of the whole text of a view. */
export function wholeText(
  response: ComparedResponse,
  text: string,
  key: string,
  place: Place,
): Occurrence {
  return { view: { response, text, key, place }, start: 0, end: text.length };
}

/** Returns the occurrence of a range of a response's body. */
export function inBody(response: ComparedResponse, start: number, length: number): Occurrence {
  const text = response.text?.replace(/^\ufeff/, "") ?? "";
  const view = { response, text, key: "", place: { kind: "body" } } as const;
  return { view, start, end: start + length };
}

/** Returns the pair of two corresponding parts of the values of a pair. */
export function partOf(whole: ValuePair, part: TextPair, name = whole.name): ValuePair {
  const { recorded, live, encoded = [recorded.length, live.length] } = part;
  return {
    ...whole,
    recorded,
    live,
    at: within(whole.at, recorded, part.at, encoded[0]),
    liveAt: within(whole.liveAt, live, part.liveAt, encoded[1]),
    name,
  };
}

/** Returns the occurrence of a value in the text of another one, in which its length is `length`. */
function within({ view }: Occurrence, value: string, start: number, length: number): Occurrence {
  const from = { view, start, end: start + length };
  if (length === value.length) return from;
  const place = { kind: "decoded", from, transform: "html_decode" } as const;
  return { view: { ...view, text: value, place }, start: 0, end: value.length };
}

/** Returns the path of the recorded value in a JSON body, or undefined if it is elsewhere. */
export function pathOf({ at }: ValuePair): JsonPath | undefined {
  const place = outerPlace(at.view);
  return place.kind === "json" || place.kind === "member" ? place.path : undefined;
}

/** Returns the offset of the recorded value in a body that is not JSON, or undefined. */
export function offsetOf({ at }: ValuePair): number | undefined {
  const range = encodedRange(at);
  return range?.view.place.kind === "body" ? range.start : undefined;
}
