import { headerValue } from "../../traffic/har/har_fields.ts";
import { compareEvents, compareResponses } from "../../outcome/compare_responses.ts";
import type { KnownPairs } from "../../correlation/known_pairs.ts";
import { findRefusalText } from "../../outcome/refusal.ts";
import type { DifferenceKind, ResponseDifference } from "../../outcome/difference.ts";
import { isSafeMethod } from "../../traffic/session/recorded_call.ts";
import type { ForeignLiteral } from "./foreign_literals.ts";
import type { LoginDemand } from "./login_demand.ts";
import type { RecordedStep } from "./recorded_side.ts";
import type { ResponseContent } from "./response_content.ts";
import { ResponseSnapshot } from "./response_snapshot.ts";
import type { UnsentHeaders } from "./unsent_headers.ts";

/** Outcome of a call in one iteration of one user. */
export interface CallOutcome {
  /** One-based number of the user. */
  readonly user: number;
  /** One-based number of the iteration. */
  readonly iteration: number;
  /** Zero-based index of the request in the plan. */
  readonly index: number;
  /**
   * How the live response differs from the recorded one. Empty if the live response matches the
   * recorded one or is missing.
   */
  readonly differences: readonly ResponseDifference[];
  /** Reason why there is no response. Undefined if there is a response. */
  readonly error?: string;
  /** True if no request was sent, for example because a variable was not set. */
  readonly unsent?: true;
  /** Text from the live response that reads like a refusal. */
  readonly refusal?: string;
  /** Present if the live response differs and asks for a login, or may do so. */
  readonly demand?: LoginDemand;
  /**
   * Literals of the request that earlier recorded responses contain, but no earlier response to
   * this user. Absent if there are none, or if the live response is as recorded.
   */
  readonly foreign?: readonly ForeignLiteral[];
  /** Recorded headers that the request lacks. Absent if the live response is as recorded. */
  readonly unsentHeaders?: UnsentHeaders;
  /**
   * Time, in seconds, to wait before the call is sent again. Absent unless the server enforced a
   * rate limit or was overloaded.
   */
  readonly rateLimit?: number;
  /** Differences in content. Undefined unless the response matches the recorded one. */
  readonly content?: ResponseContent;
}

/** Reports whether a call got a response that matches the recorded one. */
export function isAsRecorded({ differences, error }: CallOutcome): boolean {
  return differences.length === 0 && error === undefined;
}

/**
 * Compares a live response to a call with the recorded one, after replacing known live values with
 * the recorded ones. `isEvent` is true if both bodies are the data of a single event that the same
 * condition selected. `repeats` returns the recorded responses to equal requests. If one of them
 * has the commands of the live response, a difference in commands is normal.
 */
export function judgeResponse(
  { exchange, response: recorded }: Pick<RecordedStep, "exchange" | "response">,
  live: ResponseSnapshot,
  known: KnownPairs,
  isEvent = false,
  repeats: () => readonly ResponseSnapshot[] = () => [],
): Pick<CallOutcome, "differences" | "refusal"> {
  const shown = restored(live, known);
  const isRead = isSafeMethod(exchange.request.method);
  const compared = compareResponses(recorded, shown, isRead);
  const isNormal = compared.some(isOfCommands) &&
    repeats().some((other) => !compareResponses(other, shown, isRead).some(isOfCommands));
  const found = isNormal ? compared.filter((one) => !isOfCommands(one)) : compared;
  const differences = isEvent && found.length === 0 ? compareEvents(recorded, shown) : found;
  if (differences.length === 0) return { differences };
  return { differences, refusal: findRefusalText([recorded], live) };
}

function restored(live: ResponseSnapshot, known: KnownPairs): ResponseSnapshot {
  return new ResponseSnapshot({
    status: live.status,
    mimeType: live.mimeType,
    headers: live.headers.map(({ name, value }) => ({ name, value: known.toRecorded(value) })),
    text: live.text === undefined ? undefined : known.toRecorded(live.text),
  });
}

function isOfCommands({ kind }: ResponseDifference): boolean {
  return kind === "command";
}

/**
 * Reports whether a response differs from the recorded one only in its commands. The server may
 * have refused the request, or the commands may vary.
 */
export function isDoubtful({ differences }: Pick<CallOutcome, "differences">): boolean {
  return differences.length > 0 && differences.every(isOfCommands);
}

const OF_CONTENT: ReadonlySet<DifferenceKind> = new Set([
  "title",
  "form",
  "form-field",
  "json-key",
  "element",
]);

/**
 * Reports whether a response is evidence about the values of the session: it has the recorded
 * status, media type and redirect target, and is not a different page.
 */
export function isEvidence(differences: readonly ResponseDifference[]): boolean {
  const kinds = new Set(differences.map(({ kind }) => kind));
  const isOtherPage = kinds.has("title") && kinds.has("form");
  return !isOtherPage && [...kinds].every((kind) => OF_CONTENT.has(kind));
}

// WebDAV responds with 405 if the resource to create exists.
const REFUSING = new Set([400, 405, 409, 412, 422]);
const OVERWRITTEN = new Set([200, 204]);

/**
 * Reports whether a server refused a write, instead of failing or requiring a login. Includes
 * requests that overwrote a resource, instead of creating it as in the recording.
 */
export function isRefusal(
  recorded: ResponseSnapshot,
  live: ResponseSnapshot,
  differences: readonly ResponseDifference[],
): boolean {
  if (differences.length === 0) return false;
  if (REFUSING.has(live.status) && recorded.status < 400) return true;
  if (recorded.status === 201 && OVERWRITTEN.has(live.status)) return true;
  if (
    differences.some(({ kind }) =>
      kind.startsWith("json-") || kind === "script" || kind === "command"
    )
  ) return true;
  return recorded.status >= 300 && recorded.status < 400 && live.status === 200;
}

/**
 * Reports whether later responses in the iteration say nothing about the plan, because a write had
 * no effect, the user is no longer logged in, or the server did not respond.
 */
export function isSessionLost(outcome: CallOutcome, isWrite: boolean): boolean {
  const { differences, error, unsent, demand } = outcome;
  if (error !== undefined) return isWrite || !unsent;
  if (differences.length === 0) return false;
  return isWrite || demand === "login" ||
    differences.some(({ kind, live }) =>
      kind === "location" || (kind === "status" && /^(?:3..|401|403)$/.test(live))
    );
}

/** Adds to `good` the indexes of the calls whose outcomes all match the recording. */
export function addGoodCalls(outcomes: readonly CallOutcome[], good: Set<number>): void {
  for (const [index, own] of Map.groupBy(outcomes, ({ index }) => index)) {
    if (own.every(isAsRecorded)) good.add(index);
  }
}

/**
 * Returns the first failure of each call in a round. Omits failures that an earlier failure in the
 * same iteration explains. `isWrite` reports whether a call may change data.
 */
export function listFirstFailures(
  outcomes: readonly CallOutcome[],
  isWrite: (index: number) => boolean,
): CallOutcome[] {
  const lost = new Set<string>();
  const first = new Map<number, CallOutcome>();
  for (const outcome of outcomes) {
    const { user, iteration, index } = outcome;
    const key = `${user} ${iteration}`;
    if (isAsRecorded(outcome) || lost.has(key)) continue;
    if (isSessionLost(outcome, isWrite(index))) lost.add(key);
    if (!first.has(index)) first.set(index, outcome);
  }
  return [...first.values()];
}

/**
 * Returns the indexes of the writes that the server may have refused (see `isDoubtful`). Omits
 * writes that failed after another call in the same iteration, unless their commands differ in the
 * same way as those of the first call that failed. `isWrite` reports whether a call may change data.
 */
export function listDoubtfulWrites(
  outcomes: readonly CallOutcome[],
  isWrite: (index: number) => boolean,
): number[] {
  const refusal = ({ differences }: CallOutcome) => JSON.stringify(differences);
  const refusals = new Set(listFirstFailures(outcomes, isWrite).map(refusal));
  const doubtful = outcomes.filter((outcome) =>
    isDoubtful(outcome) && isWrite(outcome.index) && refusals.has(refusal(outcome))
  );
  return [...new Set(doubtful.map(({ index }) => index))].sort((a, b) => a - b);
}

/** Maximum time to wait because of a rate limit or an overload, in seconds. */
const LONGEST_WAIT = 120;
/** Time to wait, in seconds, if the server does not specify one. */
const USUAL_WAIT = 16;

/**
 * Returns the seconds to wait if the server enforces a rate limit or is temporarily overloaded.
 * Returns undefined otherwise. `now` is the time in Unix milliseconds.
 */
export function secondsToWait(
  recorded: Pick<ResponseSnapshot, "status"> | undefined,
  live: Pick<ResponseSnapshot, "status" | "headers">,
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
