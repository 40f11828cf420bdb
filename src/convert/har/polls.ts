import { formatPath } from "../../correlation/propose_json.ts";
import type { Replacement, Replacements } from "../../correlation/replace.ts";
import { extractValue } from "../../correlation/try_extractor.ts";
import type { JsonPath } from "../../correlation/views.ts";
import { FAILED, stateWord, SUCCEEDED } from "../../outcome/json_outcome.ts";
import { call as callOf } from "../../plan/expressions/expression.ts";
import type { Condition } from "../../plan/kinds/conditions.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import type { Request } from "../../plan/kinds/request.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import { RECORDED_TAG } from "../../plan/text/metrics.ts";
import { isEventStream } from "../../traffic/har/socket_messages.ts";
import { nameWords } from "../../traffic/session/dynamic_value.ts";
import { methodOf, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { RecordedView } from "../../traffic/session/recorded_view.ts";
import { RequestField } from "../../traffic/session/request_field.ts";
import { durationText } from "./build_flow.ts";
import { planHeaders } from "./plan_request.ts";

export interface Poll {
  readonly calls: readonly RecordedCall[];
  readonly until: Condition;
  readonly attempts: number;
  readonly backoffMs: number;
  readonly extract: readonly Extractor[];
}

export interface PollContext {
  readonly replacements: Replacements;
  extractorsOf(call: RecordedCall): readonly Extractor[];
  isPublic(condition: Condition): boolean;
}

/** A user who reloads a page usually waits longer. */
const LONGEST_GAP_MS = 60_000;

/**
 * Finds consecutive GET requests that are equal except for the time, until responses show that a
 * job ended, or that a resource exists after several with status 404. `times` sends the current
 * time in query parameters, which usually bypass caches.
 */
export function findPolls(
  calls: readonly RecordedCall[],
  context: PollContext,
): { readonly polls: ReadonlyMap<RecordedCall, Poll>; readonly times: readonly Replacement[] } {
  const polls = new Map<RecordedCall, Poll>();
  const times: Replacement[] = [];
  const texts = new Map<RecordedCall, string>();
  const textOf = (call: RecordedCall) =>
    texts.getOrInsertComputed(call, () => sentText(call, context));
  const repeats = (call: RecordedCall, before: RecordedCall) =>
    mayRepeat(call, before) && textOf(call) === textOf(before);
  for (let start = 0, end = 1; start < calls.length; start = end++) {
    while (end < calls.length && repeats(calls[end], calls[end - 1])) end++;
    if (end - start === 1) continue;
    // If the next call starts before the last of these ends, it may not be part of the poll.
    if (end < calls.length && calls[end].startedAt < calls[end - 1].endedAt) end--;
    const run = calls.slice(start, end);
    const missing = run.findLastIndex(isNotFound) + 1;
    const isGoneAgain = (call: RecordedCall) => isNotFound(call) && pathOf(call) === pathOf(run[0]);
    const poll =
      (missing === 0 || !calls.slice(end).some(isGoneAgain) ? pollIn(run, context) : undefined) ??
        (missing > 0 ? pollIn(run.slice(missing), context) : undefined);
    for (const call of poll?.calls ?? []) polls.set(call, poll!);
    times.push(...sentTimes(poll?.calls ?? []));
  }
  return { polls, times };
}

function isNotFound({ exchange: { response: { status } } }: RecordedCall): boolean {
  return status === 404;
}

function pathOf({ exchange }: RecordedCall): string {
  return exchange.request.url.split(/[?#]/, 1)[0];
}

function mayRepeat(call: RecordedCall, before: RecordedCall): boolean {
  const gap = call.startedAt - before.endedAt;
  return mayPoll(call) && mayPoll(before) && (!isNotFound(call) || isNotFound(before)) &&
    call.exchange.page === before.exchange.page && gap >= 0 && gap <= LONGEST_GAP_MS &&
    pathOf(call) === pathOf(before);
}

function mayPoll(call: RecordedCall): boolean {
  const { socketPart, request, response: { status } } = call.exchange;
  return socketPart === undefined && methodOf(call) === "GET" && !request.body &&
    !isEventStream(call.exchange) && (status >= 200 && status < 300 || status === 404);
}

/** Equal for requests that are sent equally, except for the time. */
function sentText(call: RecordedCall, { replacements }: PollContext): string {
  const { prefix, path, query } = call.url;
  const pieces = [...path, ...query].map((piece) => {
    if (typeof piece === "string") return piece;
    const isTime = isSentTime(piece, call) && replacements.of(piece).length === 0;
    return isTime ? "\0" : replacements.template(piece);
  });
  return JSON.stringify([prefix, pieces, planHeaders(call, replacements)]);
}

/** Parameters whose only purpose is to bypass caches. */
const NO_CACHE = /^(?:_|_dc|_ts?|no_?cache|cache_?(?:buster|bust|break|killer))$/i;
/** From a time to the request. To bypass caches, it may count from the opening of the page. */
const LONGEST_SEND_MS = 250, LONGEST_PAGE_MS = 86_400_000;

function isSentTime({ name, value }: RequestField, { exchange }: RecordedCall): boolean {
  const most = NO_CACHE.test(name) ? LONGEST_PAGE_MS : LONGEST_SEND_MS;
  return /^\d{13}$/.test(value) && Math.abs(exchange.startedAt - Number(value)) <= most;
}

function sentTimes(calls: readonly RecordedCall[]): Replacement[] {
  return (calls[0]?.url.query ?? []).flatMap((_, i) => {
    const fields = calls.map(({ url }) => url.query[i])
      .filter((piece) => piece instanceof RequestField);
    if (new Set(fields.map(({ recorded }) => recorded)).size < 2) return [];
    return fields.map((field): Replacement => (
      { field, start: 0, end: field.recorded.length, expression: callOf("now") }
    ));
  });
}

/** Starts after the last call with values that the plan needs and the last response lacks. */
function pollIn(run: readonly RecordedCall[], context: PollContext): Poll | undefined {
  if (run.length < 2) return undefined;
  const hasValues = (call: RecordedCall) => context.extractorsOf(call).length > 0;
  for (const { end, until } of pollEnds(run, context)) {
    if (!context.isPublic(until)) continue;
    for (const start of [0, run.slice(0, end).findLastIndex(hasValues) + 1]) {
      const calls = run.slice(start, end + 1);
      const extract = start === end ? undefined : commonExtractors(calls, context);
      if (extract !== undefined) return { calls, until, ...repetition(calls), extract };
    }
  }
  return undefined;
}

/** First response after a job, and the condition that is false for all before. */
interface PollEnd {
  readonly end: number;
  readonly until: Condition;
}

/**
 * Finds the possible ends of a job, the latest first: by the status after 202, or after 404 for a
 * resource that a script waits for, by a state such as `status`, or by an extracted member.
 */
function pollEnds(calls: readonly RecordedCall[], { extractorsOf }: PollContext): PollEnd[] {
  const responses = calls.map(({ exchange }) => exchange.response);
  const { status } = responses.at(-1)!;
  const changed = responses.findLastIndex((response) => response.status !== status) + 1;
  if (changed > 0) {
    const isAccepted = responses.slice(0, changed).every((response) => response.status === 202);
    return isAccepted || awaitsResource(calls)
      ? [{ end: changed, until: { type: "status", equals: status } }]
      : [];
  }
  const states = responses.map((response) => new Map(statesIn(new RecordedView(response).json)));
  const ends = [...states.at(-1)!].flatMap(([path, { word, value }]): PollEnd[] => {
    const values = states.map((members) => members.get(path)?.value);
    const end = values.findLastIndex((earlier) => earlier !== value) + 1;
    return end > 0 && isEnd(word, values.slice(0, end), value)
      ? [{ end, until: { type: "jsonpath", expression: path, equals: value } }]
      : [];
  });
  for (const [end, call] of calls.entries()) {
    for (const extractor of end === 0 ? [] : extractorsOf(call)) {
      if (extractor.type !== "jsonpath") continue;
      const { type, expression } = extractor;
      const hasValue = responses.map((response) =>
        extractValue({ type, expression }, response) !== undefined
      );
      if (hasValue.indexOf(true) !== end || hasValue.includes(false, end)) continue;
      ends.push({ end, until: { type: "jsonpath", expression, exists: true } });
    }
  }
  return ends.sort((a, b) => b.end - a.end);
}

/** After a single 404, a user may have repeated the request. */
function awaitsResource(calls: readonly RecordedCall[]): boolean {
  const missing = calls.slice(0, -1);
  return missing.length >= 2 && missing.every(isNotFound) &&
    calls.every(({ exchange }) => exchange.request.purpose === "script");
}

interface JobState {
  readonly word: string;
  readonly value: string | boolean | number;
}

const MAX_DEPTH = 3, MAX_MEMBERS = 100;

function* statesIn(
  value: unknown,
  path: JsonPath = [],
): Generator<readonly [expression: string, state: JobState]> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const members = Object.entries(value).slice(0, MAX_MEMBERS);
  for (const [name, member] of members) {
    if (!["string", "boolean", "number"].includes(typeof member)) continue;
    yield [formatPath([...path, name]), { word: nameWords(name).at(-1) ?? "", value: member }];
  }
  if (path.length === MAX_DEPTH) return;
  for (const [name, member] of members) yield* statesIn(member, [...path, name]);
}

/** Last words of names of states, booleans when a job ends, and numbers that reach 100. */
const STATE = new Set(["status", "state", "phase", "stage"]);
const ENDED = new Set(["done", "ready", "finished", "complete", "completed", "ended"]);
const ACTIVE = new Set(["running", "pending", "processing", "busy", "progress", "queued"]);
const PERCENT = new Set(["progress", "percent", "percentage", "pct"]);
const PLAIN = /^[A-Za-z][A-Za-z _-]{0,39}$/;
/** Words that end in `ing`, such as `running`, count too. */
const WORKING = new Set([
  ...["queued", "scheduled", "submitted", "accepted", "started"],
  ...["inprogress", "incomplete", "inqueue"],
]);
const LASTING = new Set(["active", "new", "created", "unknown"]);
const FINAL = new Set([
  ...SUCCEEDED,
  ...["ready", "ended", "available", "imported", "exported", "built", "deployed", "provisioned"],
]);
/** A plan must not wait for failed jobs, because most succeed, nor for states of other objects. */
const NOT_AWAITED = new Set([
  ...FAILED,
  ...["cancelled", "canceled", "lost", "offline"],
  ...["disconnected", "inactive", "unavailable", "away"],
]);

/** `word` ends the member's name. A value that comes back, as of a device, does not end a job. */
function isEnd(word: string, earlier: readonly unknown[], last: JobState["value"]): boolean {
  if (earlier.some((value) => typeof value !== typeof last || value === last)) return false;
  if (typeof last === "boolean") return (last ? ENDED : ACTIVE).has(word);
  if (typeof last === "number") {
    return last === 100 && PERCENT.has(word) &&
      earlier.every((value) => (value as number) >= 0 && (value as number) < 100);
  }
  const texts = [...earlier as string[], last];
  const states = texts.map(stateWord);
  const isJob = texts.every((text) => PLAIN.test(text)) &&
    !states.some((state) => NOT_AWAITED.has(state));
  const end = states.pop()!;
  if (!isJob || isWorking(end)) return false;
  return FINAL.has(end)
    ? states.some((state) => isWorking(state) || LASTING.has(state))
    : STATE.has(word) && states.every(isWorking);
}

function isWorking(state: string): boolean {
  return WORKING.has(state) || state.endsWith("ing");
}

/**
 * Extractors that find nothing in an earlier response get an empty default. Undefined if one does
 * not return the value of its call from the last response.
 */
function commonExtractors(
  calls: readonly RecordedCall[],
  { extractorsOf }: PollContext,
): readonly Extractor[] | undefined {
  const found = new Map<string, Extractor>();
  for (const [i, call] of calls.entries()) {
    for (const extractor of extractorsOf(call)) {
      const values = calls.map(({ exchange }) =>
        JSON.stringify(extractValue(extractor, exchange.response))
      );
      if (values[i] === undefined || values[i] !== values.at(-1)) return undefined;
      const isAlways = !values.includes(undefined as never) || extractor.default !== undefined;
      const tolerant = isAlways ? extractor : { ...extractor, default: "" };
      const known = found.get(extractor.name) ?? tolerant;
      if (JSON.stringify(known) !== JSON.stringify(tolerant)) return undefined;
      found.set(extractor.name, tolerant);
    }
  }
  return [...found.values()];
}

/** If the recording has no times. */
const UNKNOWN_GAP_MS = 1_000;
/** Attempts: in total, for each recorded call, and up to `MOST_ATTEMPTS`. */
const FEWEST_ATTEMPTS = 30, ATTEMPTS_PER_CALL = 2, WANTED_PER_CALL = 10;
/** Time for which the plan repeats a request, unless it reaches `MOST_ATTEMPTS`. */
const SHORTEST_MS = 30_000;
const MOST_ATTEMPTS = 1_000;

function repetition(calls: readonly RecordedCall[]): Pick<Poll, "attempts" | "backoffMs"> {
  const times = calls.map(({ exchange }) => exchange);
  const gaps = times.slice(1).map(({ startedAt }, i) => startedAt - times[i].endedAt)
    .sort((a, b) => a - b);
  const hasTimes = times[0].startedAt < times.at(-1)!.startedAt;
  const median = Math.round(gaps[Math.floor((gaps.length - 1) / 2)]);
  const backoffMs = hasTimes ? Math.max(0, median) : UNKNOWN_GAP_MS;
  const ms = Math.max(1, backoffMs + Math.max(0, times[0].endedAt - times[0].startedAt));
  const wanted = Math.max(
    FEWEST_ATTEMPTS,
    WANTED_PER_CALL * calls.length,
    Math.ceil(SHORTEST_MS / ms),
  );
  const attempts = Math.max(Math.min(MOST_ATTEMPTS, wanted), ATTEMPTS_PER_CALL * calls.length);
  return { attempts, backoffMs };
}

export function pollStep(
  { calls, until, attempts, backoffMs, extract }: Poll,
  { extract: _, tags, assert, checks, ...sent }: Request,
): Step {
  const entries = calls.map(({ exchange }) => exchange.index + 1).join(",");
  const request: Request = {
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
      steps: [{ request }],
    },
  };
}
