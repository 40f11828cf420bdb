import { propose } from "../../correlation/propose.ts";
import type { Occurrence, Place } from "../../correlation/views.ts";
import type { NamelessExtractor } from "../../extract/extractors.ts";
import { readBody } from "../../traffic/compare/compared_response.ts";
import type { ValuePair } from "../../traffic/compare/value_pair.ts";
import { boundedOffsets } from "./literal_edit.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";

/** A recorded response and the live response to the same call. */
export interface ResponsePair {
  readonly recorded: ResponseSnapshot;
  readonly live: ResponseSnapshot;
}

/**
 * Proposes extractors that may find both the recorded and the live value of `pair`, best first.
 * Does not test them.
 */
export function* proposeForPair(
  pair: ValuePair,
  { recorded, live }: ResponsePair,
): Generator<NamelessExtractor> {
  for (const at of occurrencesOf(pair, recorded, "recorded")) {
    for (const other of occurrencesOf(pair, live, "live")) {
      yield* propose(at, undefined, [other]);
    }
  }
}

/** Maximum number of occurrences of a value for which extractors are proposed. */
const MOST_OCCURRENCES = 3;

/** Returns the places in a response at which the value of one side of a pair may be. */
function occurrencesOf(
  { place, ...pair }: ValuePair,
  response: ResponseSnapshot,
  side: "recorded" | "live",
): Occurrence[] {
  const value = pair[side];
  const whole = (place: Place, text = value) => [occurrence(response, text, place, value)];
  switch (place.in) {
    case "header": {
      const found = response.headers.find((header) =>
        header.name.toLowerCase() === place.name && header.value.includes(value)
      );
      return found ? whole({ kind: "header", name: place.name }, found.value) : [];
    }
    case "cookie":
      return whole({ kind: "cookie", name: place.name });
    case "json": {
      if (!place.within && !readBody(response)?.isGuarded) {
        return whole({ kind: "json", path: place.path, isNumber: false });
      }
      const { text } = response.view;
      return boundedOffsets(text, value).slice(0, MOST_OCCURRENCES)
        .map((at) => inBody(response, at, value.length));
    }
    case "text": {
      const at = side === "recorded" ? place.at : place.liveAt;
      const from = inBody(response, at, lengthAt(response.view.text, at, value));
      if (from.end - from.start === value.length) return [from];
      return whole({ kind: "decoded", from, transform: "html_decode" });
    }
  }
}

function occurrence(
  response: ResponseSnapshot,
  text: string,
  place: Place,
  value: string,
): Occurrence {
  const start = text.indexOf(value);
  return { view: { response, text, key: "", place }, start, end: start + value.length };
}

function inBody(response: ResponseSnapshot, start: number, length: number): Occurrence {
  const view = { response, text: response.view.text, key: "", place: { kind: "body" } } as const;
  return { view, start, end: start + length };
}

/**
 * Returns the length, in UTF-16 code units, of the occurrence of `value` at the offset `at` in
 * `text`. The occurrence may contain character references, which make it longer.
 */
function lengthAt(text: string, at: number, value: string): number {
  if (text.startsWith(value, at)) return value.length;
  const quote = text[at - 1];
  const end = quote === '"' || quote === "'" ? text.indexOf(quote, at) : -1;
  return end < 0 ? value.length : end - at;
}
