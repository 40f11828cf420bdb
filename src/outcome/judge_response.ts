import { type ComparedResponse, isRedirect } from "../correlation/compared_response.ts";
import type { KnownPairs } from "../correlation/known_pairs.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { compareEvents, compareResponses } from "./compare_responses.ts";
import { difference, type DifferenceKind, type ResponseDifference } from "./difference.ts";
import { findComplaint, findRefusal, findRefusalText } from "./refusal.ts";

/** How a live response differs from the recorded one. */
export interface JudgedResponse {
  readonly differences: readonly ResponseDifference[];
  readonly refusal?: string;
}

export interface JudgedCall {
  /** HTTP method, which shows whether the call may change data. */
  readonly method: string;
  /** True if both bodies are the data of a single event that the same condition selected. */
  readonly isEvent?: boolean;
  /**
   * Returns the recorded responses to equal requests. If one of them has the commands of the live
   * response, a difference in commands is normal.
   */
  readonly repeats?: () => readonly ComparedResponse[];
  /**
   * Returns live responses to the call from runs in which it did its work. What differs between
   * them, such as an optional member, is ignored.
   */
  readonly rights?: () => readonly ComparedResponse[];
  readonly sent?: readonly string[];
}

/**
 * Compares a live response to a call with the recorded one, after replacing known live values with
 * the recorded ones.
 */
export function judgeResponse(
  recorded: ComparedResponse,
  live: ComparedResponse,
  known: KnownPairs,
  { method, isEvent = false, repeats = () => [], rights = () => [], sent = [] }: JudgedCall,
): JudgedResponse {
  const shown = restored(live, known);
  const isRead = isSafeMethod(method);
  const compared = compareResponses(recorded, shown, isRead);
  const isAlike = (other: ComparedResponse, { kind }: ResponseDifference) =>
    !compareResponses(other, shown, isRead).some((one) => one.kind === kind);
  const found = compared.filter((one) =>
    !((one.kind === "command" || one.kind === "emptied") &&
      repeats().some((other) => isAlike(other, one))) &&
    !(OF_CONTENT.has(one.kind) && rights().some((other) => isAlike(other, one)))
  );
  const differences = found.length > 0
    ? found
    : isEvent
    ? compareEvents(recorded, shown)
    : isRead
    ? []
    : refusals([recorded, ...repeats(), ...rights()], shown, sent);
  const refusal = differences.length === 0 ? undefined : findRefusalText([recorded], live);
  return { differences, refusal };
}

function refusals(
  normal: readonly ComparedResponse[],
  live: ComparedResponse,
  sent: readonly string[],
): ResponseDifference[] {
  if (isRedirect(live)) return [];
  const text = findRefusal(normal, live) ?? findComplaint(normal, live, sent);
  return text === undefined ? [] : [difference("refusal", "", text)];
}

function restored(live: ComparedResponse, known: KnownPairs): ComparedResponse {
  return {
    status: live.status,
    mimeType: live.mimeType,
    headers: live.headers.map(({ name, value }) => ({ name, value: known.toRecorded(value) })),
    text: live.text === undefined ? undefined : known.toRecorded(live.text),
  };
}

function isOfCommands({ kind }: ResponseDifference): boolean {
  return kind === "command";
}

/**
 * Reports whether a response differs from the recorded one only in its commands. The server may
 * have refused the request, or the commands may vary.
 */
export function isDoubtful({ differences }: Pick<JudgedResponse, "differences">): boolean {
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
const REFUSED: ReadonlySet<DifferenceKind> = new Set(["script", "command", "emptied", "refusal"]);
const OVERWRITTEN = new Set([200, 204]);

/**
 * Reports whether a server refused a write, instead of failing or requiring a login. Includes
 * requests that overwrote a resource, instead of creating it as in the recording.
 */
export function isRefusal(
  recorded: ComparedResponse,
  live: ComparedResponse,
  differences: readonly ResponseDifference[],
): boolean {
  if (differences.length === 0) return false;
  if (REFUSING.has(live.status) && recorded.status < 400) return true;
  if (recorded.status === 201 && OVERWRITTEN.has(live.status)) return true;
  if (differences.some(({ kind }) => kind.startsWith("json-") || REFUSED.has(kind))) return true;
  return recorded.status >= 300 && recorded.status < 400 && live.status === 200;
}
