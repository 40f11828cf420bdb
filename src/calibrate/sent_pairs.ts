import type { Outgoing } from "../http/sender.ts";
import { alignWords } from "../correlation/align_text.ts";
import type { KnownPairs } from "../correlation/known_pairs.ts";
import { type RecordedCall, splitSent } from "../traffic/session/recorded_call.ts";
import type { RequestField } from "../traffic/session/request_field.ts";

/**
 * Adds to `known` the values that a request sends in place of recorded ones, such as a login from a
 * data file or `${unique}`. Echoes of them in responses then do not count as differences.
 */
export function addSentPairs(recorded: RecordedCall, sent: RecordedCall, known: KnownPairs): void {
  for (const { field, live } of differingFields(recorded, sent)) {
    known.add(field.value, live);
    for (const word of alignWords(field.value, live)) known.add(word.recorded, word.live);
  }
}

/** A field of a recorded request, and the value of the same field in another request. */
export interface DifferingValue {
  readonly field: RequestField;
  readonly live: string;
}

/** Returns the fields of a recorded request whose values differ from those of `live`. */
export function differingFields(recorded: RecordedCall, live: RecordedCall): DifferingValue[] {
  const liveFields = fieldsByPlace(live);
  return [...fieldsByPlace(recorded)].flatMap(([place, field]) => {
    const value = liveFields.get(place)?.value ?? "";
    return value === "" || field.value === "" || value === field.value
      ? []
      : [{ field, live: value }];
  });
}

/** Splits a request that was sent into its fields. */
export function splitOutgoing({ method, origin, target, headers, body }: Outgoing): RecordedCall {
  const path = target.startsWith("/") ? target : `/${target}`;
  return splitSent({
    method,
    url: `http${origin.secure ? "s" : ""}://${origin.authority}${path}`,
    headers: headers.map(([name, value]) => ({ name, value })),
    body,
  });
}

/** Matches the names of headers that depend on the client, not on values of the session. */
export const OF_CLIENT =
  /^(?:user-agent|accept.*|sec-.*|connection|content-type|content-length|host|dnt|cache-control|pragma|priority|purpose|upgrade-insecure-requests)$/i;

function fieldsByPlace({ fields }: RecordedCall): Map<string, RequestField> {
  const places = new Map<string, RequestField>();
  for (const field of fields) {
    const { kind, name } = field;
    if (kind === "header" && OF_CLIENT.test(name)) continue;
    let place = `${kind} ${name}`;
    for (let n = 2; places.has(place); n++) place = `${kind} ${name} ${n}`;
    places.set(place, field);
  }
  return places;
}
