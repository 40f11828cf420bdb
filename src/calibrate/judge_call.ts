import { alignWords } from "../correlation/align_text.ts";
import { isRedirect } from "../correlation/compared_response.ts";
import type { KnownPairs } from "../correlation/known_pairs.ts";
import { differingFields, OF_CLIENT } from "../correlation/second_session.ts";
import { pathWords } from "../correlation/words.ts";
import type { SupervisedVu } from "../engine/flow/scope.ts";
import type { FormControl, PageForm } from "../extract/forms.ts";
import type { Outgoing } from "../http/sender.ts";
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
import { findLoginDemand, findRefusalTexts, visibleTexts } from "../outcome/refusal.ts";
import type { WorkTrace } from "../outcome/work.ts";
import type { Request } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { parseTemplate } from "../plan/text/template.ts";
import {
  headersIn,
  type RecordedCall,
  sentRequest,
  splitSent,
} from "../traffic/session/recorded_call.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
import { describeRequest } from "../verify/plan_requests.ts";
import type { Attempts, CallOutcome, ForeignLiteral, UnsentHeaders } from "./attempts.ts";
import type { PlanDraft } from "./draft.ts";
import type { SentExchange } from "./live_target.ts";
import { secondsToWait } from "./waits.ts";
import {
  contains,
  type RecordedSide,
  type RecordedStep,
  type ResponseSnapshot,
  sendsPassword,
  snapshotEvent,
  snapshotLive,
} from "./recorded_side.ts";
import type { VariableWatch } from "./variable_watch.ts";

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
  readonly isOpen?: true;
}

/** A text of a write, as recorded and live, and its place (see `callPlaces`). */
export interface WrittenText extends WorkTrace {
  readonly place: string;
}

/** What a write sent, and whether it may have opened a session. */
export interface SentWrite {
  readonly differences: readonly string[];
  /** Texts that are sent at the recorded places, except files. */
  readonly texts: readonly WrittenText[];
  readonly sendsPassword: boolean;
  readonly setsCookie: boolean;
}

/** An iteration of a user, as far as its earlier calls matter for the next one. */
export interface EarlierCalls {
  readonly known: KnownPairs;
  readonly steps: ReadonlyMap<number, { readonly response: ResponseSnapshot }>;
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
  { draft, attempts, variables, now }: JudgingParts,
): JudgedCall {
  const { recorded } = draft;
  const at = { user: vu.id, iteration: vu.iteration + 1, index, differences: [] };
  const step = recorded.at(index);
  const [first] = exchanges;
  if (first === undefined) return { outcome: { ...at, error: "not sent", unsent: true } };
  const { received } = vu;
  const { error, message } = received.response;
  if (error !== undefined) {
    const unsent = error === "cancelled" || undefined;
    return { outcome: { ...at, error: message ?? error, unsent } };
  }
  const storedCookie = (name: string) => received.storedCookie(name);
  const last = step?.event === undefined
    ? snapshotLive(received.response, storedCookie)
    : snapshotEvent(received, storedCookie);
  const rateLimit = secondsToWait(step?.response, last, now);
  if (step === undefined) return { outcome: { ...at, rateLimit }, live: last };
  const request = splitSent(sentRequest(first.request));
  const write = draft.isWrite(index)
    ? {
      ...compareSent(
        index,
        request,
        draft,
        user.known,
        variables.changedBefore(index, (variable) => vu.get(variable)),
      ),
      sendsPassword: sendsPassword(step.call),
      setsCookie: exchanges.some(({ response }) =>
        response.headers.some(([name]) => name.toLowerCase() === "set-cookie")
      ),
    }
    : undefined;
  user.sends(index, write, sentPairs(step.call, request));
  // A recorder may have followed a redirect itself and kept only the last response.
  const live = isRedirect(step.response) && exchanges.length > 1
    ? snapshotLive(first.response)
    : last;
  const judged = judgeResponse(step.response, live, user.known, {
    method: step.exchange.request.method,
    isEvent: step.event?.isSelected ?? false,
    repeats: () => recorded.repeats(index),
    goodResponses: () => attempts.goodResponses(index),
    sentTexts: bodyTexts(write?.texts ?? []).map(({ recorded }) => recorded)
      .filter((text) => text.length >= SHORTEST_VALUE),
    named: write === undefined ? () => textsInUrl(step.call) : undefined,
  });
  const outcome = {
    ...at,
    ...judged,
    rateLimit,
    ...(judged.differences.length > 0 && {
      ...findReasons(step, live, first.request, judged.refusal, recorded),
      ...findForeignLiterals(index, draft, user.steps),
      ...(write !== undefined && findNewFields(index, draft, user.steps)),
    }),
    ...(write !== undefined && write.differences.length > 0 && {
      writeDifferences: write.differences,
    }),
  };
  // If the recording selects an event only by its number, a different event may arrive instead.
  const isOther = step.event?.isSelected === false &&
    compareEvents(step.response, live).length > 0;
  const both = { recorded: step.response, live, sentCall: request };
  const evidence = isOther || judged.differences.length > 0 ? undefined : { step, last };
  return { outcome, live: last, compared: both, evidence };
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

export function bodyTexts(texts: readonly WrittenText[]): WrittenText[] {
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

/**
 * Reports whether a place is that of the id in a variable, such as `category.id`, or the id in a
 * path that names only an action, such as `/delete/3`.
 */
function isPlaceOf(place: string, variable: string, call: RecordedCall): boolean {
  const resource = nameWords(variable).filter((word) => !/^(?:id|\d+)$/.test(word));
  if (resource.length === 0) return false;
  if (place.startsWith("path ")) return pathWords(call).length === 0;
  const words = nameWords(place);
  return OF_ID.test(placeName(place)) && resource.every((word) => words.includes(word));
}

/**
 * Compares a sent write with the recorded request (see `compareRequests`). `known` must not yet
 * contain the values of this request. `changed` are the variables with other live values, by their
 * recorded value: a write that sends such a value in their place changes another object.
 */
function compareSent(
  index: number,
  sent: RecordedCall,
  draft: PlanDraft,
  known: KnownPairs,
  changed: ReadonlyMap<string, readonly string[]>,
): Pick<SentWrite, "differences" | "texts"> {
  const planned = draft.at(index);
  const literals = describeRequest(planned);
  const { call } = draft.recorded.at(index)!;
  const places = callPlaces(call);
  const live = callPlaces(sent, nameMatcher(planned, places, (name) => known.toRecorded(name)));
  // Literals of the plan at places where they were recorded: elsewhere, a variable sent this text.
  const kept = new Map<string, number>();
  for (const [place, { text }] of places) {
    if (live.get(place)?.text === text) kept.set(text, (kept.get(text) ?? 0) + 1);
  }
  // A poll may send the ids of all rows of a page.
  const isPoll = draft.recorded.isPoll(index);
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
    const own = (changed.get(text) ?? []).find((variable) => isPlaceOf(place, variable, call));
    return own === undefined || live.get(place)?.text !== text
      ? []
      : [`\`${place}\` is sent as recorded, not as \`\${${own}}\``];
  });
  const differences = found.map(({ place, kind }) => `\`${place}\` ${KINDS[kind]}`);
  return {
    differences: [...differences, ...stale].slice(0, MOST_DIFFERENCES),
    texts: [...places].flatMap(([place, { text, isFile }]): WrittenText[] => {
      const other = isFile ? undefined : live.get(place);
      return other === undefined ? [] : [{ place, recorded: text, live: other.text }];
    }),
  };
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
  const patterns = requestTexts(planned).filter(({ kind, template }) =>
    /-name$/.test(kind) && template.includes("${")
  ).map(({ template }) => {
    const parts = parseTemplate(template)
      .map((part) => part.kind === "text" ? RegExp.escape(part.text) : "(?:.+)");
    return new RegExp(`^${parts.join("")}$`, "s");
  });
  const names = [...recorded.keys()].flatMap((place) =>
    place.startsWith("name ") ? [place.slice("name ".length)] : []
  );
  return (name) => {
    const own = patterns.filter((pattern) => pattern.test(name))
      .flatMap((pattern) => names.filter((one) => pattern.test(one)));
    return own.length === 1 ? own[0] : other(name);
  };
}

/** Matches a refusal of text that must be unique. Not `existing`: "no existing order". */
const TAKEN =
  /\b(?:already (?:been )?(?:exists?|taken|used|in use|registered)|exists with|(?<!\bno )duplicate|(?:must be|(?:is|are) not) unique)\b/i;

/**
 * Finds possible reasons why a response is not as recorded: a refused login, text that is taken,
 * and recorded headers that the request lacks.
 */
function findReasons(
  { exchange, call, response }: RecordedStep,
  live: ResponseSnapshot,
  request: Outgoing,
  refusal: string | undefined,
  recorded: RecordedSide,
): Pick<CallOutcome, "demand" | "unsentHeaders" | "isTaken"> {
  const { method, url } = exchange.request;
  const demand = findLoginDemand(
    { recorded: response, live, method, url, refusal },
    (path) => recorded.isLoginPage(path),
  );
  const unsentHeaders = findUnsentHeaders(call, request, live);
  const isTaken = findRefusalTexts([response], live).some(({ text }) => TAKEN.test(text));
  return { demand, unsentHeaders, isTaken: isTaken || undefined };
}

const CSRF = /csrf|xsrf/i;
/** Matches response headers that contain header names regardless of the request. */
const NAMING = /^(?:vary|set-cookie|access-control-.*)$/i;

/** If the response `live` names some of the headers that a request lacks, returns only these. */
function findUnsentHeaders(
  recorded: RecordedCall,
  request: Outgoing,
  live: ResponseSnapshot,
): UnsentHeaders | undefined {
  const present = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const unsent = headersIn(recorded).map(({ name }) => name)
    .filter((name) => !present.has(name.toLowerCase()) && !OF_CLIENT.test(name));
  if (unsent.length === 0) return undefined;
  const headers = live.headers.filter(({ name }) => !NAMING.test(name))
    .flatMap(({ name, value }) => [name, value]);
  const said = [...visibleTexts(live).map(({ text }) => text), ...headers].join("\n");
  const named = unsent.filter((name) =>
    new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`, "i").test(said) ||
    CSRF.test(name) && CSRF.test(said)
  );
  return named.length > 0 ? { names: named, areNamed: true } : { names: unsent, areNamed: false };
}

const MOST_FOREIGN = 5;
/** Maximum length of a literal in UTF-16 code units. Longer ones are probably documents. */
const LONGEST_FOREIGN = 200;

/**
 * Returns the literals of a request that are complete fields, parameters, members or path segments,
 * and that the server sent in an earlier response in the recording, but in none of the earlier live
 * responses to the user who sent the request. `steps` contains these, by the number of the request.
 * Ignores headers.
 */
function findForeignLiterals(
  index: number,
  draft: PlanDraft,
  steps: ReadonlyMap<number, { readonly response: ResponseSnapshot }>,
): Pick<CallOutcome, "foreign"> {
  const live = [...steps].flatMap(([i, { response }]) => i < index ? [response] : []);
  const found = new Map<string, ForeignLiteral>();
  for (const literal of literalsOf(draft.at(index))) {
    const { value } = literal;
    const isKnown = value === "" || value.length > LONGEST_FOREIGN || found.has(value);
    if (isKnown || !draft.recorded.isReceivedBefore(index, value)) continue;
    if (live.some((response) => contains(response, value))) continue;
    found.set(value, literal);
    if (found.size === MOST_FOREIGN) break;
  }
  return found.size === 0 ? {} : { foreign: [...found.values()] };
}

function literalsOf(request: Request): ForeignLiteral[] {
  return requestTexts(request).flatMap(({ kind, name, template }): ForeignLiteral[] => {
    if (/^(?:host|header|json-name|form-name|body)$/.test(kind)) return [];
    const [only, ...others] = parseTemplate(template);
    return others.length === 0 && only.kind === "text" ? [{ name, value: only.text }] : [];
  });
}

const MOST_FIELDS = 5;

/**
 * Returns the names of the fields that the form of a refused write has in the live page, but not in
 * the recorded one: a browser sends them with their defaults, and the plan does not. `steps`
 * contains the earlier live responses to the user, by the number of the request.
 */
function findNewFields(
  index: number,
  draft: PlanDraft,
  steps: ReadonlyMap<number, { readonly response: ResponseSnapshot }>,
): Pick<CallOutcome, "newFields"> {
  const sentNames = new Set(
    requestTexts(draft.at(index)).flatMap(({ kind, name }) =>
      kind === "form" || kind === "multipart" ? [name] : []
    ),
  );
  if (sentNames.size === 0) return {};
  for (const [page, { response }] of [...steps].toReversed()) {
    const form = formOf(sentNames, response);
    const before = form && formOf(sentNames, draft.recorded.at(page)?.response);
    if (form === undefined || before === undefined) continue;
    const known = new Set([...sentNames, ...before.controls.map(({ name }) => name)]);
    const added = form.controls.map(({ name }) => name).filter((name) => !known.has(name));
    return added.length === 0 ? {} : { newFields: [...new Set(added)].slice(0, MOST_FIELDS) };
  }
  return {};
}

/** Returns the form of a page that has most of the fields `sentNames`, if there is one. */
function formOf(
  sentNames: ReadonlySet<string>,
  page: ResponseSnapshot | undefined,
): PageForm | undefined {
  const isSent = ({ name }: FormControl) => sentNames.has(name);
  return page?.forms.find(({ controls }) => controls.filter(isSent).length * 2 > sentNames.size);
}
