import { alignWords } from "../correlation/align_text.ts";
import { isRedirect } from "../correlation/compared_response.ts";
import type { KnownPairs } from "../correlation/known_pairs.ts";
import { differingFields } from "../correlation/second_session.ts";
import type { SupervisedVu } from "../engine/flow/scope.ts";
import type { Outgoing } from "../http/sender.ts";
import {
  callPlaces,
  compareRequests,
  isHeader,
  isRelevant,
  type PlaceDifference,
  placeName,
} from "../outcome/compare_requests.ts";
import { compareEvents } from "../outcome/compare_responses.ts";
import { judgeResponse } from "../outcome/judge_response.ts";
import { lostObject, type Trace } from "../outcome/work.ts";
import type { Request } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { type RecordedCall, splitSent } from "../traffic/session/recorded_call.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
import { describeRequest } from "../verify/plan_requests.ts";
import type { CallOutcome } from "./attempts.ts";
import { isWriteRequest } from "./budget.ts";
import type { PlanDraft } from "./draft.ts";
import type { SentExchange } from "./guarded_sender.ts";
import { secondsToWait } from "./rate_limit.ts";
import { findForeignLiterals, findNewFields, findReasons } from "./failure_reasons.ts";
import {
  type RecordedSide,
  type RecordedStep,
  type ResponseSnapshot,
  sendsPassword,
  snapshotEvent,
  snapshotLive,
} from "./recorded_side.ts";
import type { VariableWatch } from "./variable_watch.ts";

/** A recorded call, and a live response to it that is as recorded. */
export interface MatchingResponse {
  readonly step: RecordedStep;
  readonly last: ResponseSnapshot;
}

/** The outcome of a call, and the evidence that its response provides, if any. */
export interface Judged {
  readonly outcome: CallOutcome;
  readonly evidence?: MatchingResponse;
  /** The recorded and the live response that were compared, and the request that was sent. */
  readonly compared?: {
    readonly recorded: ResponseSnapshot;
    readonly live: ResponseSnapshot;
    readonly sent: RecordedCall;
  };
  /** The last live response. Absent if there was no response. */
  readonly live?: ResponseSnapshot;
  /** True if a `retry` step repeats the request, so that the call has no outcome yet. */
  readonly isOpen?: true;
}

/** A text of a write, as recorded and live, and its place (see `callPlaces`). */
export interface SentText extends Trace {
  readonly place: string;
}

/** What a write sent, and whether it may have opened a session. */
export interface SentWrite {
  readonly texts: readonly SentText[];
  /** True if the body contains a password. */
  readonly sendsPassword: boolean;
  readonly setsCookie: boolean;
}

/** State of a user's iteration that judging a response needs, or changes. */
export interface JudgedIteration {
  readonly known: KnownPairs;
  readonly steps: ReadonlyMap<number, { readonly response: ResponseSnapshot }>;
  readonly writes: Map<number, SentWrite>;
}

/** What judging a response needs of a calibration. */
export interface JudgingParts {
  readonly draft: PlanDraft;
  readonly recorded: RecordedSide;
  readonly rights: ReadonlyMap<number, readonly ResponseSnapshot[]>;
  readonly variables: VariableWatch;
  /** Returns the time in Unix milliseconds. */
  now(): number;
}

/**
 * Compares the last response of a VU, to the request `index`, with the recorded one. `exchanges`
 * are what was sent and received for it, with redirects.
 */
export function judgeCall(
  index: number,
  vu: SupervisedVu,
  user: JudgedIteration,
  exchanges: readonly SentExchange[],
  parts: JudgingParts,
): Judged {
  const { recorded, draft } = parts;
  const at = { user: vu.id, iteration: vu.iteration + 1, index, differences: [] };
  const step = recorded.at(index);
  const [first] = exchanges;
  if (first === undefined) return { outcome: { ...at, error: "not sent", unsent: true } };
  const { received } = vu;
  const { error, message } = received.response;
  if (error !== undefined) {
    const unsent = error === "cancelled" ? { unsent: true as const } : {};
    return { outcome: { ...at, error: message ?? error, ...unsent } };
  }
  const storedCookie = (name: string) => received.storedCookie(name);
  const last = step?.event === undefined
    ? snapshotLive(received.response, storedCookie)
    : snapshotEvent(received, storedCookie);
  const rateLimit = secondsToWait(step?.response, last, parts.now());
  const limit = rateLimit === undefined ? {} : { rateLimit };
  if (step === undefined) return { outcome: { ...at, ...limit }, live: last };
  const request = splitOutgoing(first.request);
  const written = isWriteRequest(draft.at(index))
    ? compareSent(step.call, request, draft.at(index), {
      known: user.known,
      changed: parts.variables.changedBefore(index, (variable) => vu.get(variable)),
      isPoll: recorded.isPoll(index),
    })
    : undefined;
  if (written !== undefined) {
    user.writes.set(index, {
      texts: written.texts,
      sendsPassword: sendsPassword(step.call),
      setsCookie: exchanges.some(({ response }) =>
        response.headers.some(([name]) => name.toLowerCase() === "set-cookie")
      ),
    });
  }
  addSentPairs(step.call, request, user.known);
  // A recorder may have followed a redirect itself and kept only the last response.
  const live = isRedirect(step.response) && exchanges.length > 1
    ? snapshotLive(first.response)
    : last;
  const compared = judgeResponse(step.response, live, user.known, {
    method: step.exchange.request.method,
    isEvent: step.event?.isSelected ?? false,
    repeats: () => recorded.repeats(index),
    rights: () => parts.rights.get(index) ?? [],
    sent: bodyTexts(written?.texts ?? []).map(({ recorded }) => recorded)
      .filter((text) => text.length >= SHORTEST_VALUE),
  });
  const judged = written === undefined && compared.differences.length === 0
    ? { differences: lostObject(step.response, live, () => textsInUrl(step.call)) }
    : compared;
  const reasons = judged.differences.length === 0 ? {} : {
    ...findReasons({ step, live, sent: first.request, refusal: judged.refusal }, recorded),
    ...findForeignLiterals(index, draft.at(index), recorded, user.steps),
    ...(written !== undefined && findNewFields(draft.at(index), recorded, user.steps)),
  };
  const sent = written === undefined || written.differences.length === 0
    ? {}
    : { sent: written.differences };
  const outcome = { ...at, ...judged, ...limit, ...reasons, ...sent };
  // If the recording selects an event only by its number, a different event may arrive instead.
  const isOther = step.event?.isSelected === false &&
    compareEvents(step.response, live).length > 0;
  const both = { recorded: step.response, live, sent: request };
  if (isOther || judged.differences.length > 0) return { outcome, live: last, compared: both };
  return { outcome, live: last, compared: both, evidence: { step, last } };
}

/** Returns the texts in the path and the query of a call. */
function textsInUrl(call: RecordedCall): string[] {
  return [...callPlaces(call)]
    .flatMap(([place, { text }]) => /^(?:path|query) /.test(place) ? [text] : []);
}

function splitOutgoing({ method, origin, target, headers, body }: Outgoing): RecordedCall {
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
function addSentPairs(recorded: RecordedCall, sent: RecordedCall, known: KnownPairs): void {
  for (const { field, live } of differingFields(recorded, sent)) {
    known.add(field.value, live);
    for (const word of alignWords(field.value, live)) known.add(word.recorded, word.live);
  }
}

interface ComparedSent {
  /** Descriptions of what is missing or different. Empty if the write sent what it should. */
  readonly differences: readonly string[];
  /** Texts that are sent at the recorded places, except files. */
  readonly texts: readonly SentText[];
}

/** Returns the texts of the body. */
export function bodyTexts(texts: readonly SentText[]): SentText[] {
  return texts.filter(({ place }) => !/^(?:path|query|header) /.test(place));
}

const MOST_DIFFERENCES = 5;
/** Values below this length are equal to others by chance. In UTF-16 code units. */
const SHORTEST_VALUE = 4;

const KINDS: Readonly<Record<PlaceDifference["kind"], string>> = {
  missing: "is not sent",
  added: "",
  type: "is sent as another JSON type",
  empty: "is sent empty",
  other: "is sent with the value of another object",
  literal: "is sent with another value than recorded",
  variable: "",
};

/** Reports whether a request contains a text as a literal in a field with the name of a place. */
function isLiteralAt(place: string, text: string, planned: Request): boolean {
  const name = placeName(place);
  return name !== "" &&
    requestTexts(planned).some((one) => one.name === name && one.template === text);
}

/** Matches the name of a field that contains an id. */
export const OF_ID = /(?:^|_|\b)(?:id|uuid|pk)$|[a-z]I[dD]$/;

/** Reports whether a place is that of the id in a variable, such as `category.id`. */
function isPlaceOf(place: string, variable: string): boolean {
  const resource = nameWords(variable).filter((word) => !/^(?:id|\d+)$/.test(word));
  const words = nameWords(place);
  return resource.length > 0 && OF_ID.test(placeName(place)) &&
    resource.every((word) => words.includes(word));
}

/**
 * Compares a sent write with the recorded request (see `compareRequests`). `known` must not yet
 * contain the values of this request. `changed` are the variables with other live values, by their
 * recorded value: a write that sends such a value in their place changes another object. A poll may
 * send the ids of all rows of a page.
 */
function compareSent(
  recorded: RecordedCall,
  sent: RecordedCall,
  planned: Request,
  { known, changed, isPoll }: {
    readonly known: KnownPairs;
    readonly changed: ReadonlyMap<string, readonly string[]>;
    readonly isPoll: boolean;
  },
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
      other.length >= SHORTEST_VALUE && (known.recordedOf(other) ?? text) !== text,
    isLiteral: (text) =>
      /^(?:true|false|null)$/.test(text) || literals.wholeLiterals(text) > (kept.get(text) ?? 0),
  }).map((one) =>
    one.kind === "variable" && isLiteralAt(one.place, one.sent!.text, planned)
      ? { ...one, kind: "literal" as const }
      : one
  ).filter(({ place, recorded, kind }) =>
    KINDS[kind] !== "" && isRelevant(place) && !(kind === "other" && isPoll) &&
    // A run sends only the headers it needs, and a placeholder in place of the recorded file.
    !(kind === "missing" && isHeader(place)) &&
    !(kind !== "empty" && recorded?.isFile && kind !== "missing")
  );
  const stale = [...places].flatMap(([place, { text }]) => {
    const own = (changed.get(text) ?? []).find((variable) => isPlaceOf(place, variable));
    return own === undefined || live.get(place)?.text !== text
      ? []
      : [`\`${place}\` is sent as recorded, not as \`\${${own}}\``];
  });
  const differences = found.map(({ place, kind }) => `\`${place}\` ${KINDS[kind]}`);
  return {
    differences: [...differences, ...stale].slice(0, MOST_DIFFERENCES),
    texts: [...places].flatMap(([place, { text, isFile }]): SentText[] => {
      const other = isFile ? undefined : live.get(place);
      return other === undefined ? [] : [{ place, recorded: text, live: other.text }];
    }),
  };
}
