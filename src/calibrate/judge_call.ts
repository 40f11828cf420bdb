import { alignWords } from "../comparison/align_text.ts";
import { type ComparedResponse, isRedirect } from "../comparison/compared_response.ts";
import type { KnownPairs } from "../comparison/known_pairs.ts";
import { differingFields } from "../correlation/second_session.ts";
import { pathWords } from "../correlation/request_words.ts";
import type { SupervisedVu } from "../engine/flow/scope.ts";
import {
  type CallPlaces,
  callPlaces,
  compareRequests,
  isHeader,
  isRelevant,
  type PlaceDifference,
  placeName,
} from "../outcome/compare_requests.ts";
import { compareEvents } from "../outcome/compare_responses.ts";
import { judgeResponse } from "../outcome/judge_response.ts";
import type { WorkTrace } from "../outcome/work.ts";
import type { Request } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { headerValue } from "../traffic/har/recording.ts";
import { nameHint, nameWords } from "../traffic/session/dynamic_value.ts";
import { type RecordedCall, sentRequest, splitSent } from "../traffic/session/recorded_call.ts";
import { describeRequest } from "../verify/plan_requests.ts";
import type { Attempts, CallOutcome } from "./attempts.ts";
import type { PlanDraft } from "./draft.ts";
import type { SentExchange } from "./live_target.ts";
import { findReasons } from "./reasons.ts";
import { type RecordedStep, sendsPassword } from "./recorded_side.ts";
import {
  type ResponseSnapshot,
  snapshotEvent,
  snapshotLive,
} from "../comparison/response_snapshot.ts";
import type { LiveStep } from "./trial.ts";
import type { VariableWatch } from "./variable_watch.ts";

/** What a write sent, and whether it may have opened a session. */
export interface SentWrite {
  readonly differences: readonly string[];
  /** Texts that are sent at the recorded places (see `callPlaces`), except files. */
  readonly texts: readonly (WorkTrace & { readonly place: string })[];
  readonly sendsPassword: boolean;
  readonly setsCookie: boolean;
}

export interface JudgedCall {
  readonly outcome: CallOutcome;
  readonly evidence?: { readonly step: RecordedStep; readonly last: ResponseSnapshot };
  /** The recorded and the live response that were compared, and the request that was sent. */
  readonly compared?: {
    readonly recorded: ResponseSnapshot;
    readonly live: ResponseSnapshot;
    readonly sentCall: RecordedCall;
  };
  readonly live?: ResponseSnapshot;
  /** True if a `retry` step repeats the request, so that the call has no outcome yet. */
  readonly isPending?: true;
}

/** An iteration of a user, as far as its earlier calls matter for the next one. */
export interface EarlierCalls {
  readonly known: KnownPairs;
  readonly steps: ReadonlyMap<number, Pick<LiveStep, "response">>;
  /** Adds what a request sends: responses may repeat it, and later ones must show it. */
  sends(index: number, write: SentWrite | undefined, pairs: readonly WorkTrace[]): void;
}

export interface JudgingParts {
  readonly draft: PlanDraft;
  readonly attempts: Pick<Attempts, "goodResponses">;
  readonly variables: VariableWatch;
  readonly now: number;
}

/**
 * Compares the last response of a VU, to the request `index`, with the recorded one. `exchanges`
 * are what was sent and received for it, with redirects.
 */
export function judgeCall(
  index: number,
  vu: SupervisedVu,
  user: EarlierCalls,
  exchanges: readonly SentExchange[],
  parts: JudgingParts,
): JudgedCall {
  const { draft, now } = parts;
  const at = { user: vu.id, iteration: vu.iteration + 1, index, differences: [] };
  const [first] = exchanges;
  if (first === undefined) {
    const error = describeMissingValue(index, vu, draft) ?? "not sent";
    return { outcome: { ...at, error, unsent: true } };
  }
  const { error, message } = vu.received.response;
  if (error !== undefined) {
    const unsent = error === "cancelled" || undefined;
    return { outcome: { ...at, error: message ?? error, unsent } };
  }
  const step = draft.recorded.at(index);
  const last = snapshotLast(vu, step);
  const rateLimit = secondsToWait(step?.response, last, now);
  if (step === undefined) return { outcome: { ...at, rateLimit }, live: last };
  const sentCall = splitSent(sentRequest(first.request));
  const write = draft.isWrite(index)
    ? {
      ...compareWrite(index, sentCall, vu, user.known, parts),
      sendsPassword: sendsPassword(step.call),
      setsCookie: exchanges.some(setsCookie),
    }
    : undefined;
  user.sends(index, write, sentPairs(step.call, sentCall));
  // A recorder may have followed a redirect itself and kept only the last response.
  const live = isRedirect(step.response) && exchanges.length > 1
    ? snapshotLive(first.response)
    : last;
  const judged = judgeResponse(step.response, live, user.known, factsOf(index, write, parts));
  const isDifferent = judged.differences.length > 0;
  const outcome = {
    ...at,
    ...judged,
    rateLimit,
    ...(isDifferent &&
      findReasons(index, { live, request: first.request, ...judged }, draft, user.steps)),
    ...(write !== undefined && write.differences.length > 0 && {
      writeDifferences: write.differences,
    }),
  };
  return {
    outcome,
    live: last,
    compared: { recorded: step.response, live, sentCall },
    evidence: isDifferent || isOtherEvent(step, live) ? undefined : { step, last },
  };
}

/** Describes a variable without a value, which is why a request is not sent. */
function describeMissingValue(
  index: number,
  vu: SupervisedVu,
  draft: PlanDraft,
): string | undefined {
  for (const i of draft.given.earlier(index).toReversed()) {
    const missing = draft.at(i).extract
      ?.find(({ name }) =>
        vu.get(name) === undefined && draft.values.usesOf(i, name).consumers.includes(index)
      );
    if (missing !== undefined) return `call ${i + 1} found no value for \`${missing.name}\``;
  }
  return undefined;
}

function setsCookie({ response }: SentExchange): boolean {
  return response.headers.some(([name]) => name.toLowerCase() === "set-cookie");
}

function factsOf(
  index: number,
  write: SentWrite | undefined,
  { draft, attempts }: JudgingParts,
): Parameters<typeof judgeResponse>[3] {
  const { recorded } = draft;
  const { exchange, event, call } = recorded.at(index)!;
  return {
    method: exchange.request.method,
    isEvent: event?.isSelected ?? false,
    repeats: () => recorded.repeats(index),
    goodResponses: () => attempts.goodResponses(index),
    sentTexts: bodyTexts(write?.texts ?? []).map(({ recorded }) => recorded)
      .filter((text) => text.length >= SHORTEST_VALUE),
    named: write === undefined ? () => textsInUrl(call) : undefined,
    typed: () => recorded.typedIn(draft.given.earlier(index).filter((i) => draft.isWrite(i))),
  };
}

/**
 * Returns the last response of a VU. For a stream of events, its text is that of the last event.
 */
function snapshotLast({ received }: SupervisedVu, step: RecordedStep | undefined) {
  const storedCookie = (name: string) => received.storedCookie(name);
  return step?.event === undefined
    ? snapshotLive(received.response, storedCookie)
    : snapshotEvent(received, storedCookie);
}

/** Reports whether a stream ended with another event than recorded: it selects only by number. */
function isOtherEvent({ event, response }: RecordedStep, live: ResponseSnapshot): boolean {
  return event?.isSelected === false && compareEvents(response, live).length > 0;
}

/** Maximum time to wait because of a rate limit or an overload, in seconds. */
const LONGEST_WAIT = 120;
const USUAL_WAIT = 16;

/** Returns the seconds to wait if the server limits the rate. `now` is in Unix milliseconds. */
function secondsToWait(
  recorded: Pick<ComparedResponse, "status"> | undefined,
  live: Pick<ComparedResponse, "status" | "headers">,
  now: number,
): number | undefined {
  if (live.status !== 429 && live.status !== 503) return undefined;
  if (recorded?.status === live.status) return undefined;
  const stated = headerValue(live.headers, "retry-after") ?? "";
  const seconds = /^\d+$/.test(stated.trim())
    ? Number(stated)
    : Math.ceil((Date.parse(stated) - now) / 1_000);
  return Math.min(LONGEST_WAIT, seconds >= 0 ? seconds : USUAL_WAIT);
}

function textsInUrl(call: RecordedCall): string[] {
  return [...callPlaces(call)]
    .flatMap(([place, { text }]) => /^(?:path|query) /.test(place) ? [text] : []);
}

/**
 * Returns the values that a request sends in place of recorded ones, such as a login from a data
 * file or `${unique}`. Echoes of them in responses then do not count as differences.
 */
function sentPairs(recorded: RecordedCall, sent: RecordedCall): WorkTrace[] {
  return differingFields(recorded, sent).flatMap((
    { field, live },
  ) => [{ recorded: field.value, live }, ...alignWords(field.value, live)]);
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

/**
 * Reports whether a place is that of the id in a variable, such as `category.id`, or the id in a
 * path that names only an action, such as `/delete/3`.
 */
function isPlaceOf(place: string, variable: string, call: RecordedCall): boolean {
  const resource = nameWords(variable).filter((word) => !/^(?:id|\d+)$/.test(word));
  if (resource.length === 0) return false;
  if (place.startsWith("path ")) return pathWords(call).length === 0;
  const words = nameWords(place);
  return nameHint(placeName(place)).idLike && resource.every((word) => words.includes(word));
}

/** Compares a sent write with the recorded request. `known` must not yet contain its values. */
function compareWrite(
  index: number,
  sent: RecordedCall,
  vu: SupervisedVu,
  known: KnownPairs,
  { draft, variables }: JudgingParts,
): Pick<SentWrite, "differences" | "texts"> {
  const { call } = draft.recorded.at(index)!;
  const places = callPlaces(call);
  const toRecorded = (name: string) => known.toRecorded(name);
  const live = callPlaces(sent, nameMatcher(draft.at(index), places, toRecorded));
  const changed = variables.changedBefore(index, (variable) => vu.get(variable));
  const differences = [
    ...describeDifferences(index, places, live, draft, known),
    ...describeStale(call, places, live, changed),
  ];
  return {
    differences: differences.slice(0, MOST_DIFFERENCES),
    texts: [...places].flatMap(([place, { text, isFile }]) => {
      const other = isFile ? undefined : live.get(place);
      return other === undefined ? [] : [{ place, recorded: text, live: other.text }];
    }),
  };
}

function describeDifferences(
  index: number,
  places: CallPlaces,
  live: CallPlaces,
  draft: PlanDraft,
  known: KnownPairs,
): string[] {
  const planned = draft.at(index);
  const literals = describeRequest(planned);
  // Literals of the plan at places where they were recorded: elsewhere, a variable sent this text.
  const kept = new Map<string, number>();
  for (const [place, { text }] of places) {
    if (live.get(place)?.text === text) kept.set(text, (kept.get(text) ?? 0) + 1);
  }
  // A poll may send the ids of all rows of a page.
  const isPoll = draft.recorded.isPoll(index);
  return compareRequests(places, live, {
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
  ).map(({ place, kind }) => `\`${place}\` ${KINDS[kind]}`);
}

/**
 * Describes the recorded values that a write sends although a variable now has another value:
 * `changed` has these variables by recorded value. The write then changes another object.
 */
function describeStale(
  call: RecordedCall,
  places: CallPlaces,
  live: CallPlaces,
  changed: ReadonlyMap<string, readonly string[]>,
): string[] {
  return [...places].flatMap(([place, { text }]) => {
    const own = (changed.get(text) ?? []).find((variable) => isPlaceOf(place, variable, call));
    return own === undefined || live.get(place)?.text !== text
      ? []
      : [`\`${place}\` is sent as recorded, not as \`\${${own}}\``];
  });
}

/**
 * Returns the recorded name of a field, parameter or member that a request sends: the only one that
 * the same template of the plan may have produced, otherwise the result of `other`.
 */
function nameMatcher(
  planned: Request,
  recorded: CallPlaces,
  other: (name: string) => string,
): (name: string) => string {
  const templates = requestTexts(planned).filter(({ kind }) => /-name$/.test(kind));
  const literals = new Set(templates.map(({ template }) => template));
  const patterns = templates.filter(({ template }) => template.includes("${")).map(
    ({ template }) => {
      const parts = parseTemplate(template)
        .map((part) => part.kind === "text" ? RegExp.escape(part.text) : "(?:.+)");
      return new RegExp(`^${parts.join("")}$`, "s");
    },
  );
  const names = [...recorded.keys()].flatMap((place) =>
    place.startsWith("name ") ? [place.slice("name ".length)] : []
  );
  return (name) => {
    if (literals.has(name)) return name;
    const own = patterns.filter((pattern) => pattern.test(name))
      .flatMap((pattern) => names.filter((one) => pattern.test(one)));
    return own.length === 1 ? own[0] : other(name);
  };
}

export function bodyTexts(texts: SentWrite["texts"]): SentWrite["texts"] {
  return texts.filter(({ place }) => !/^(?:path|query|header) /.test(place));
}
