import type { Request } from "../../plan/kinds/request.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import { RECORDED_TAG } from "../../plan/text/metrics.ts";
import type { NamelessExtractor } from "../../extract/extractors.ts";
import type { Condition } from "../../plan/kinds/conditions.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import { isEventStream } from "../../traffic/har/socket_messages.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { recordedTaker, RecordedView } from "../../traffic/session/recorded_view.ts";
import { call as callOf } from "../../plan/expressions/expression.ts";
import { RequestField } from "../../traffic/session/request_field.ts";
import type { Replacement, Replacements } from "../../correlation/replace.ts";
import { planHeaders } from "./plan_request.ts";
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
  /** Extractors that the plan applies to each response, combined from all calls of the poll. */
  readonly extract: readonly Extractor[];
}

/** What `findPolls` needs to know about the plan. */
export interface PollContext {
  readonly replacements: Replacements;
  /** Returns the extractors that the plan applies to the response to a call. */
  extractorsOf(call: RecordedCall): readonly Extractor[];
  /** Reports whether a condition contains no credential. */
  isPublic(condition: Condition): boolean;
}

/**
 * Longest time between two calls of a poll, in milliseconds. A user who reloads a page usually
 * waits longer.
 */
const LONGEST_GAP_MS = 60_000;
/** Pause between two attempts, in milliseconds, if the recording has no times. */
const UNKNOWN_GAP_MS = 1_000;
/** Minimum number of attempts for a poll: in total, and for each of its recorded calls. */
const FEWEST_ATTEMPTS = 30, ATTEMPTS_PER_CALL = 10;
/**
 * Minimum time in milliseconds for which the plan repeats a request, unless it reaches
 * `MOST_ATTEMPTS`.
 */
const SHORTEST_MS = 30_000;
/**
 * Maximum number of attempts for a poll with at most 500 recorded calls. For a longer poll, the
 * plan makes two attempts per recorded call.
 */
const MOST_ATTEMPTS = 1_000;

/**
 * Maximum time in milliseconds between reading the client's clock for a query parameter and the
 * start of the request. A time that was read for an earlier request is older.
 */
const LONGEST_SEND_MS = 250;

/** The polls in a recording: requests that the browser repeated until a job had ended. */
export interface Polls {
  /** Maps each call of a poll to the poll. */
  readonly polls: ReadonlyMap<RecordedCall, Poll>;
  /**
   * Replacements that send the current time in the query parameters of polls instead of the
   * recorded time, which usually serves to bypass caches.
   */
  readonly times: readonly Replacement[];
}

/**
 * Finds requests that the browser repeated until a job had ended: GET requests that are the same in
 * the plan except for the current time, that follow each other without another call between them,
 * and whose responses show that a job ended (see `pollEnds`), or that a resource exists after
 * several responses with status 404.
 */
export function findPolls(calls: readonly RecordedCall[], context: PollContext): Polls {
  const polls = new Map<RecordedCall, Poll>();
  const times: Replacement[] = [];
  const lastNotFound = new Map<string, RecordedCall>();
  for (const call of calls) if (isNotFound(call)) lastNotFound.set(addressOf(call), call);
  const comesAndGoes = (call: RecordedCall) =>
    (lastNotFound.get(addressOf(call))?.order ?? -1) > call.order;
  for (let start = 0; start < calls.length;) {
    const end = repetitionEnd(calls, start, context);
    const poll = end - start > 1
      ? findPoll(calls.slice(start, end), comesAndGoes, context)
      : undefined;
    if (poll !== undefined) {
      for (const call of poll.calls) polls.set(call, poll);
      times.push(...sentTimes(poll.calls));
    }
    start = end;
  }
  return { polls, times };
}

function addressOf({ exchange }: RecordedCall): string {
  return exchange.request.url.split(/[?#]/, 1)[0];
}

function repetitionEnd(
  calls: readonly RecordedCall[],
  start: number,
  context: PollContext,
): number {
  const first = calls[start];
  const { socketPart, request } = first.exchange;
  let end = start + 1;
  if (socketPart !== undefined || methodOf(first) !== "GET" || request.body) return end;
  if (isEventStream(first.exchange) || !isSuccess(first) && !isNotFound(first)) return end;
  while (end < calls.length && repeats(calls[end], calls[end - 1], context)) end++;
  // If the next call starts before the last of these calls ends, that last call may not be part of
  // the poll.
  const isOverlapped = end < calls.length && calls[end].startedAt < calls[end - 1].endedAt;
  return isOverlapped && end - start > 1 ? end - 1 : end;
}

function repeats(call: RecordedCall, before: RecordedCall, context: PollContext): boolean {
  const { exchange: { socketPart, request, page } } = call;
  const gap = call.startedAt - before.endedAt;
  return socketPart === undefined && methodOf(call) === "GET" && !request.body &&
    (isSuccess(call) || isNotFound(call) && isNotFound(before)) &&
    page === before.exchange.page && gap >= 0 && gap <= LONGEST_GAP_MS &&
    hasSameUrl(call, before, context) &&
    sentHeaders(call, context) === sentHeaders(before, context);
}

function isSuccess({ exchange: { response: { status } } }: RecordedCall): boolean {
  return status >= 200 && status < 300;
}

function isNotFound({ exchange: { response: { status } } }: RecordedCall): boolean {
  return status === 404;
}

function hasSameUrl(a: RecordedCall, b: RecordedCall, context: PollContext): boolean {
  return a.url.prefix === b.url.prefix && hasSamePieces("path", a, b, context) &&
    hasSamePieces("query", a, b, context);
}

function hasSamePieces(
  part: "path" | "query",
  a: RecordedCall,
  b: RecordedCall,
  { replacements }: PollContext,
): boolean {
  const others = b.url[part];
  return a.url[part].length === others.length && a.url[part].every((one, i) => {
    const other = others[i];
    if (typeof one === "string" || typeof other === "string") return one === other;
    if (one.recorded === other.recorded) {
      return replacements.template(one) === replacements.template(other);
    }
    return isSentTime(one, a) && isSentTime(other, b) &&
      replacements.of(one).length + replacements.of(other).length === 0;
  });
}

/** Matches names of query parameters whose only purpose is to bypass caches. */
const NO_CACHE = /^(?:_|_dc|_ts?|no_?cache|cache_?(?:buster|bust|break|killer))$/i;
/**
 * Maximum difference, in milliseconds, between the time in a cache-busting query parameter and the
 * start of the request. Such a parameter may count up from the time at which the page was opened.
 */
const LONGEST_PAGE_MS = 86_400_000;

/**
 * Reports whether a query parameter contains the time at which the client sent the call, in Unix
 * milliseconds. A parameter such as `_` may also be a counter that starts with the time at which
 * the page was opened.
 */
function isSentTime({ name, value }: RequestField, { exchange }: RecordedCall): boolean {
  if (!/^\d{13}$/.test(value)) return false;
  const most = NO_CACHE.test(name) ? LONGEST_PAGE_MS : LONGEST_SEND_MS;
  return Math.abs(exchange.startedAt - Number(value)) <= most;
}

function sentTimes(calls: readonly RecordedCall[]): Replacement[] {
  return calls[0].url.query.flatMap((_, i) => {
    const fields = calls.map(({ url }) => url.query[i]).filter((one) =>
      one instanceof RequestField
    );
    if (new Set(fields.map(({ recorded }) => recorded)).size < 2) return [];
    return fields.map((field): Replacement => (
      { field, start: 0, end: field.recorded.length, expression: callOf("now") }
    ));
  });
}

function sentHeaders(call: RecordedCall, { replacements }: PollContext): string {
  return JSON.stringify(planHeaders(call, replacements));
}

function findPoll(
  run: readonly RecordedCall[],
  comesAndGoes: (call: RecordedCall) => boolean,
  context: PollContext,
): Poll | undefined {
  const missing = run.findLastIndex(isNotFound) + 1;
  const isResource = missing > 0 && !comesAndGoes(run.at(-1)!);
  return (isResource ? pollIn(run, context) : undefined) ?? pollIn(run.slice(missing), context);
}

/**
 * Finds a poll in a list of equal calls. It ends with a call whose response shows that a job has
 * ended, and starts with the first call. If the plan needs values from earlier responses that this
 * last response lacks, it starts after the last call with such values.
 */
function pollIn(run: readonly RecordedCall[], context: PollContext): Poll | undefined {
  if (run.length < 2) return undefined;
  for (const { end, until } of pollEnds(run, context.extractorsOf)) {
    if (!context.isPublic(until)) continue;
    const hasValues = (call: RecordedCall) => context.extractorsOf(call).length > 0;
    for (const start of [0, run.slice(0, end).findLastIndex(hasValues) + 1]) {
      const calls = run.slice(start, end + 1);
      const extract = start === end ? undefined : commonExtractors(calls, context);
      if (extract !== undefined) return { calls, until, ...repetition(calls), extract };
    }
  }
  return undefined;
}

/**
 * Returns the extractors of all calls of a poll. An extractor that finds nothing in one of the
 * earlier responses gets an empty default, so that the plan can repeat the request. Returns
 * undefined if an extractor of an earlier call does not return the same value from the last
 * response.
 */
function commonExtractors(
  calls: readonly RecordedCall[],
  { extractorsOf }: PollContext,
): readonly Extractor[] | undefined {
  const producers = calls.flatMap((call, i) =>
    extractorsOf(call).map((extractor) => {
      const { name: _, ...nameless } = extractor;
      return { i, extractor, take: recordedTaker(nameless as NamelessExtractor) };
    })
  );
  if (producers.length === 0) return [];
  const rows = calls.map(({ exchange }) => {
    const view = new RecordedView(exchange.response);
    return producers.map(({ take }) => JSON.stringify(take(view)));
  });
  const found = new Map<string, Extractor>();
  for (const [n, { i, extractor }] of producers.entries()) {
    const values = rows.map((row) => row[n]);
    if (values[i] === undefined || values[i] !== values.at(-1)) return undefined;
    const isAlways = values.every((value) => value !== undefined);
    const tolerant = isAlways || extractor.default !== undefined
      ? extractor
      : { ...extractor, default: "" };
    const known = found.get(extractor.name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(tolerant)) return undefined;
    found.set(extractor.name, tolerant);
  }
  return [...found.values()];
}

function repetition(calls: readonly RecordedCall[]): Pick<Poll, "attempts" | "backoffMs"> {
  const backoffMs = usualGap(calls);
  const first = calls[0].exchange;
  const ms = Math.max(1, backoffMs + Math.max(0, first.endedAt - first.startedAt));
  const fewest = Math.max(FEWEST_ATTEMPTS, ATTEMPTS_PER_CALL * calls.length);
  const wanted = Math.min(MOST_ATTEMPTS, Math.max(fewest, Math.ceil(SHORTEST_MS / ms)));
  const attempts = Math.max(wanted, 2 * calls.length);
  return { attempts, backoffMs };
}

function usualGap(calls: readonly RecordedCall[]): number {
  const gaps = calls.slice(1).map(({ exchange }, i) =>
    exchange.startedAt - calls[i].exchange.endedAt
  ).sort((a, b) => a - b);
  const median = Math.round(gaps[Math.floor((gaps.length - 1) / 2)]);
  const hasTimes = calls[0].exchange.startedAt < calls.at(-1)!.exchange.startedAt;
  return hasTimes ? Math.max(0, median) : UNKNOWN_GAP_MS;
}

/**
 * Builds the step that repeats the request of a poll. `request` is the plan's request for the first
 * call of the poll.
 */
export function pollStep(
  { calls, until, attempts, backoffMs, extract }: Poll,
  { extract: _, ...request }: Request,
): Step {
  const entries = calls.map(({ exchange }) => exchange.index + 1).join(",");
  const { tags, assert, checks, ...sent } = request;
  const repeated: Request = {
    ...sent,
    tags: { ...tags, [RECORDED_TAG]: entries },
    ...(extract.length > 0 && { extract: [...extract] }),
    ...(assert && { assert }),
    ...(checks && { checks }),
  };
  return {
    retry: {
      attempts,
      ...(backoffMs > 0 && { backoff: durationText(backoffMs) }),
      until,
      required: true,
      steps: [{ request: repeated }],
    },
  };
}

function durationText(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`;
}
