import type { NamelessExtractor } from "../../extract/compile_now.ts";
import type { Condition } from "../../plan/kinds/conditions/conditions.ts";
import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import { isEventStream } from "../../traffic/har/event_messages.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { recordedTaker } from "../../traffic/session/event_condition.ts";
import { RecordedView } from "../../traffic/session/recorded_view.ts";
import type { Replacements } from "../correlate/replacements.ts";
import { planHeaders, planUrl } from "./plan_request.ts";
import { pollEnds } from "./poll_condition.ts";

/** A request that the recorded browser repeated until a job had ended. */
export interface Poll {
  /** The recorded calls, in order. At least two. */
  readonly calls: readonly RecordedCall[];
  /** Condition that only the last response meets. */
  readonly until: Condition;
  /** Maximum number of times that the plan sends the request. */
  readonly attempts: number;
  /** Pause between two attempts in milliseconds. */
  readonly backoffMs: number;
  /** Extractors that the plan applies to each response, combined from all calls. */
  readonly extract: readonly Extractor[];
}

/** What `findPolls` needs to know about the plan. */
export interface PollContext {
  readonly baseUrl: string;
  readonly replacements: Replacements;
  /** Returns the extractors that the plan applies to the response to a call. */
  extractorsOf(call: RecordedCall): readonly Extractor[];
  /** Reports whether a condition contains no credential. */
  isPublic(condition: Condition): boolean;
}

/** Longest time between two calls of a poll, in milliseconds. A user who reloads waits longer. */
const LONGEST_GAP_MS = 60_000;
/** Pause between two attempts, in milliseconds, if the recording has no times. */
const UNKNOWN_GAP_MS = 1_000;
/** Minimum number of attempts, and number of attempts for each recorded call. */
const FEWEST_ATTEMPTS = 30, ATTEMPTS_PER_CALL = 10;
/**
 * Minimum time in milliseconds for which the plan repeats a request, unless it reaches
 * `MOST_ATTEMPTS`.
 */
const SHORTEST_MS = 30_000;
/**
 * Maximum number of attempts for a poll with at most 500 recorded calls. For a longer poll, the plan
 * makes two attempts per recorded call.
 */
const MOST_ATTEMPTS = 1_000;

/**
 * Finds requests that the browser repeated until a job had ended: GET requests that are the same in
 * the plan, that follow each other without another call between them, and whose responses show that
 * a job ended (see `pollEnds`). Returns a map from each call to its poll.
 */
export function findPolls(
  calls: readonly RecordedCall[],
  context: PollContext,
): Map<RecordedCall, Poll> {
  const polls = new Map<RecordedCall, Poll>();
  for (let start = 0; start < calls.length;) {
    const run = repeatedCalls(calls, start, context);
    const poll = run.length > 1 ? findPoll(run, context) : undefined;
    for (const call of poll?.calls ?? []) polls.set(call, poll!);
    start += Math.max(1, run.length);
  }
  return polls;
}

/** Returns the call at `start` and the calls after it that repeat it. */
function repeatedCalls(
  calls: readonly RecordedCall[],
  start: number,
  context: PollContext,
): RecordedCall[] {
  const first = calls[start];
  const { socketPart, request } = first.exchange;
  if (socketPart !== undefined || methodOf(first) !== "GET" || request.body) return [first];
  if (isEventStream(first.exchange) || !isSuccess(first)) return [first];
  let end = start + 1;
  while (end < calls.length && repeats(calls[end], calls[end - 1], context)) end++;
  // If the next call starts before the last of these calls ends, that last call may not be part of
  // the poll.
  const isOverlapped = end < calls.length && calls[end].startedAt < calls[end - 1].endedAt;
  return calls.slice(start, isOverlapped ? end - 1 : end);
}

function repeats(call: RecordedCall, before: RecordedCall, context: PollContext): boolean {
  const { exchange: { socketPart, request, page } } = call;
  const gap = call.startedAt - before.endedAt;
  return socketPart === undefined && methodOf(call) === "GET" && !request.body &&
    isSuccess(call) && request.url === before.exchange.request.url &&
    page === before.exchange.page &&
    gap >= 0 && gap <= LONGEST_GAP_MS && sentText(call, context) === sentText(before, context);
}

function isSuccess({ exchange: { response: { status } } }: RecordedCall): boolean {
  return status >= 200 && status < 300;
}

/** Returns text that is equal for two calls if the plan sends the same request for both. */
function sentText(call: RecordedCall, context: PollContext): string {
  return JSON.stringify([planUrl(call, context), planHeaders(call, context.replacements)]);
}

/**
 * Returns the poll in a list of equal calls, if there is one. It starts with the first call. If the
 * plan needs values of earlier responses that the last one lacks, it starts after the last call with
 * such values.
 */
function findPoll(run: readonly RecordedCall[], context: PollContext): Poll | undefined {
  const responses = run.map(({ exchange }) => exchange.response);
  const extractors = run.map((call) => context.extractorsOf(call));
  for (const { end, until } of pollEnds(responses, extractors)) {
    if (!context.isPublic(until)) continue;
    const afterValues = extractors.slice(0, end).findLastIndex((list) => list.length > 0) + 1;
    for (const start of [0, afterValues]) {
      const calls = run.slice(start, end + 1);
      const extract = start === end ? undefined : commonExtractors(calls, context);
      if (extract !== undefined) return { calls, until, ...repetition(calls), extract };
    }
  }
  return undefined;
}

/**
 * Returns the extractors of all calls of a poll. An extractor that finds nothing in one of the
 * earlier responses gets an empty default, so that the plan can repeat the request. Returns undefined
 * if an extractor of an earlier call does not return the same value from the last response.
 */
function commonExtractors(
  calls: readonly RecordedCall[],
  { extractorsOf }: PollContext,
): readonly Extractor[] | undefined {
  const views = calls.map(({ exchange }) => new RecordedView(exchange.response));
  const found = new Map<string, Extractor>();
  for (const [i, call] of calls.entries()) {
    for (const extractor of extractorsOf(call)) {
      const { name, ...nameless } = extractor;
      const take = recordedTaker(nameless as NamelessExtractor);
      const values = views.map((view) => take(view));
      if (values[i] === undefined || JSON.stringify(values[i]) !== JSON.stringify(values.at(-1))) {
        return undefined;
      }
      const isAlways = values.every((value) => value !== undefined);
      const tolerant = isAlways || extractor.default !== undefined
        ? extractor
        : { ...extractor, default: "" };
      const known = found.get(name);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(tolerant)) {
        return undefined;
      }
      found.set(name, tolerant);
    }
  }
  return [...found.values()];
}

/** Returns the number of attempts that the plan makes for a poll, and the pause between them. */
function repetition(calls: readonly RecordedCall[]): Pick<Poll, "attempts" | "backoffMs"> {
  const backoffMs = usualGap(calls);
  const first = calls[0].exchange;
  const ms = Math.max(1, backoffMs + Math.max(0, first.endedAt - first.startedAt));
  const fewest = Math.max(FEWEST_ATTEMPTS, ATTEMPTS_PER_CALL * calls.length);
  const wanted = Math.min(MOST_ATTEMPTS, Math.max(fewest, Math.ceil(SHORTEST_MS / ms)));
  const attempts = Math.max(wanted, 2 * calls.length);
  return { attempts, backoffMs };
}

/** Returns the median of the times between the calls, in whole milliseconds. */
function usualGap(calls: readonly RecordedCall[]): number {
  const gaps = calls.slice(1).map(({ exchange }, i) =>
    exchange.startedAt - calls[i].exchange.endedAt
  ).sort((a, b) => a - b);
  const median = Math.round(gaps[Math.floor((gaps.length - 1) / 2)]);
  const hasTimes = calls[0].exchange.startedAt < calls.at(-1)!.exchange.startedAt;
  return hasTimes ? Math.max(0, median) : UNKNOWN_GAP_MS;
}
