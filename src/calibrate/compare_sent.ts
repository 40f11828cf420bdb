import { alignWords } from "../correlation/align_text.ts";
import type { KnownPairs } from "../correlation/known_pairs.ts";
import {
  callPlaces,
  compareRequests,
  isHeader,
  isRelevant,
  type PlaceDifference,
} from "../outcome/compare_requests.ts";
import { differingFields } from "../correlation/second_session.ts";
import type { Outgoing } from "../http/sender.ts";
import type { Trace } from "../outcome/work.ts";
import type { Request } from "../plan/kinds/request.ts";
import { type RecordedCall, splitSent } from "../traffic/session/recorded_call.ts";
import { describeRequest } from "../verify/plan_requests.ts";

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

/** What a write sent, compared with the recorded request. */
export interface ComparedSent {
  /** Descriptions of what is missing or different. Empty if the write sent what it should. */
  readonly differences: readonly string[];
  /** Texts of the body, as recorded and live. */
  readonly traces: readonly Trace[];
}

/** Maximum number of differences that are listed for one request. */
const MOST = 5;
/** Values below this length are equal to others by chance. In UTF-16 code units. */
const SHORTEST = 4;

const KINDS: Readonly<Record<PlaceDifference["kind"], string>> = {
  missing: "is not sent",
  added: "",
  type: "is sent as another JSON type",
  empty: "is sent empty",
  other: "is sent with the value of another object",
  literal: "is sent with another value than recorded",
  variable: "",
};

/**
 * Compares a sent write with the recorded request (see `compareRequests`). `known` must not yet
 * contain the values of this request.
 */
export function compareSent(
  recorded: RecordedCall,
  sent: RecordedCall,
  planned: Request,
  known: KnownPairs,
): ComparedSent {
  const literals = describeRequest(planned);
  const [places, live] = [
    callPlaces(recorded),
    callPlaces(sent, (name) => known.toRecorded(name)),
  ];
  // Literals of the plan at places where they were recorded: elsewhere, a variable sent this text.
  const kept = new Map<string, number>();
  for (const [place, { text }] of places) {
    if (live.get(place)?.text === text) kept.set(text, (kept.get(text) ?? 0) + 1);
  }
  const found = compareRequests(places, live, {
    isSame: (text, other) => known.toRecorded(other) === text || known.toLive(text) === other,
    isOther: (text, other) =>
      other.length >= SHORTEST && (known.recordedOf(other) ?? text) !== text,
    isLiteral: (text) =>
      /^(?:true|false|null)$/.test(text) || literals.wholeLiterals(text) > (kept.get(text) ?? 0),
  }).filter(({ place, recorded, kind }) =>
    KINDS[kind] !== "" && isRelevant(place) &&
    // A run sends only the headers it needs, and a placeholder in place of the recorded file.
    !(kind === "missing" && isHeader(place)) &&
    !(kind !== "empty" && recorded?.isFile && kind !== "missing")
  );
  return {
    differences: found.slice(0, MOST).map(({ place, kind }) => `\`${place}\` ${KINDS[kind]}`),
    traces: [...places].flatMap(([place, { text, isFile }]): Trace[] => {
      const other = live.get(place);
      const isInBody = !/^(?:path|query|header) /.test(place) && !isFile;
      return isInBody && other !== undefined ? [{ recorded: text, live: other.text }] : [];
    }),
  };
}
