import type { NamelessExtractor } from "../../extract/extractors.ts";
import type { Condition } from "../../plan/kinds/conditions.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import { nameWords } from "../../traffic/session/dynamic_value.ts";
import { FAILED, stateWord, SUCCEEDED } from "../../outcome/json_outcome.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { recordedTaker, RecordedView } from "../../traffic/session/recorded_view.ts";
import { childPath } from "./plan_streams.ts";

/**
 * Maximum depth of a member that states the progress of a job. Members of the root have depth 0.
 */
const MAX_DEPTH = 3;
/**
 * Minimum number of initial 404 responses for consecutive calls to count as a poll for a resource.
 */
const FEWEST_NOT_FOUND = 2;
/** Maximum number of response members to check for the progress of a job. */
const MAX_MEMBERS = 100;
/** If the name of a string field ends in one of these words, the field states a job's progress. */
const STATE = new Set(["status", "state", "phase", "stage"]);
/**
 * If the name of a boolean field ends in one of these words, the field becomes true when a job
 * ends.
 */
const ENDED = new Set(["done", "ready", "finished", "complete", "completed", "ended"]);
/**
 * If the name of a boolean field ends in one of these words, the field becomes false when a job
 * ends.
 */
const ACTIVE = new Set(["running", "pending", "processing", "busy", "progress", "queued"]);
/**
 * If the name of a numeric field ends in one of these words, the field reaches 100 when a job ends.
 */
const PERCENT = new Set(["progress", "percent", "percentage", "pct"]);
const PLAIN = /^[A-Za-z][A-Za-z _-]{0,39}$/;
/**
 * States of a job that has not ended, in lowercase and without separators. Words that end in `ing`,
 * such as `running`, count too.
 */
const WORKING = new Set([
  ...["queued", "scheduled", "submitted", "accepted", "new", "created", "started", "active"],
  ...["inprogress", "incomplete", "inqueue", "unknown"],
]);
/**
 * States that objects other than jobs also have. A change from such a state shows the end of a job
 * only if the new state is in `FINAL`.
 */
const LASTING = new Set(["active", "new", "created", "unknown"]);
/** States of a job that has ended successfully, in lowercase and without separators. */
const FINAL = new Set([
  ...SUCCEEDED,
  ...["ready", "ended", "available", "imported", "exported", "built", "deployed", "provisioned"],
]);
/**
 * States in `FINAL` that objects other than jobs also have. They show the end of a job only if an
 * earlier state was that of a job in progress.
 */
const UNCERTAIN = new Set(["ready", "available"]);
/**
 * States of a job that has failed, and states that only objects other than jobs have. A plan must
 * not wait for them: in a load test, most jobs succeed.
 */
const NOT_AWAITED = new Set([
  ...FAILED,
  ...["cancelled", "canceled", "lost", "offline"],
  ...["disconnected", "inactive", "unavailable", "away"],
]);

/** The end of a job, as shown by the responses to a repeated request. */
export interface PollEnd {
  /** Index of the first response after the end of the job. At least 1. */
  readonly end: number;
  /** Condition that is false for all responses before `end`, and true for all others. */
  readonly until: Condition;
}

/**
 * Finds the possible ends of a job in the responses to a repeated request. Returns the latest end
 * first. The condition of an end tests the status code if it changed from 202, or from 404 for a
 * resource that a script waits for; otherwise a state such as `status`, or a member that an
 * extractor reads. A condition that becomes true and then false again, as for the state of a
 * device, does not indicate the end of a job.
 */
export function pollEnds(
  calls: readonly RecordedCall[],
  extractorsOf: (call: RecordedCall) => readonly Extractor[],
): PollEnd[] {
  const responses = calls.map(({ exchange }) => exchange.response);
  const { status } = responses.at(-1)!;
  const changed = responses.findLastIndex((one) => one.status !== status) + 1;
  if (changed > 0) {
    const isAccepted = responses.slice(0, changed).every((one) => one.status === 202);
    return isAccepted || awaitsResource(calls)
      ? [{ end: changed, until: { type: "status", equals: status } }]
      : [];
  }
  const views = responses.map((response) => new RecordedView(response));
  const known = new Map<string, readonly unknown[]>();
  /** Returns the values of a path in all responses, with null for a list or an object. */
  const valuesOf = (expression: string) => {
    const read = () => {
      const take = recordedTaker({ type: "jsonpath", expression } satisfies NamelessExtractor);
      return views.map(take).map((value) => typeof value === "object" ? null : value);
    };
    const values = known.get(expression) ?? read();
    known.set(expression, values);
    return values;
  };
  const root = views.at(-1)!.json;
  const members = isObject(root) ? [...stateMembers(root, "$", 0).take(MAX_MEMBERS)] : [];
  const ends = members.flatMap(({ word, path, value }): PollEnd[] => {
    const values = valuesOf(path);
    const end = values.findLastIndex((one) => one !== value) + 1;
    return end > 0 && isEnd(word, values.slice(0, end), value)
      ? [{ end, until: { type: "jsonpath", expression: path, equals: value } }]
      : [];
  });
  for (const [end, call] of calls.entries()) {
    for (const extractor of end === 0 ? [] : extractorsOf(call)) {
      if (extractor.type !== "jsonpath" || !isObject(views[end].json)) continue;
      const { expression } = extractor;
      const values = valuesOf(expression);
      const first = values.findIndex((value) => value !== undefined);
      if (first !== end || values.includes(undefined, end)) continue;
      ends.push({ end, until: { type: "jsonpath", expression, exists: true } });
    }
  }
  return ends.sort((a, b) => b.end - a.end);
}

/**
 * Reports whether a script requests a resource until it exists: only the last call succeeds, and
 * several calls before it have status 404. After a single 404, a user may have repeated the
 * request.
 */
function awaitsResource(calls: readonly RecordedCall[]): boolean {
  const missing = calls.slice(0, -1);
  return missing.length >= FEWEST_NOT_FOUND &&
    missing.every(({ exchange }) => exchange.response.status === 404) &&
    calls.every(({ exchange }) => exchange.request.purpose === "script");
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member that may indicate the progress of a job. */
interface StateMember {
  /** Last word of the member's name. */
  readonly word: string;
  readonly path: string;
  readonly value: string | boolean | number;
}

/**
 * Yields the members of `value` that may indicate the end of a job, from outermost to innermost.
 */
function* stateMembers(value: JsonObject, path: string, depth: number): Generator<StateMember> {
  for (const [name, member] of Object.entries(value)) {
    const word = nameWords(name).at(-1) ?? "";
    const isScalar = ["string", "boolean", "number"].includes(typeof member);
    if (!isScalar || !mayEnd(word, member)) continue;
    yield { word, path: childPath(path, name), value: member as StateMember["value"] };
  }
  if (depth === MAX_DEPTH) return;
  for (const [name, member] of Object.entries(value)) {
    if (isObject(member)) yield* stateMembers(member, childPath(path, name), depth + 1);
  }
}

/** Reports whether the value of a member may show the end of a job (see `isEnd`). */
function mayEnd(word: string, value: unknown): boolean {
  if (typeof value === "boolean") return (value ? ENDED : ACTIVE).has(word);
  if (typeof value === "number") return value === 100 && PERCENT.has(word);
  if (typeof value !== "string" || !PLAIN.test(value)) return false;
  return FINAL.has(stateWord(value)) ||
    STATE.has(word) && !isWorking(value) && !NOT_AWAITED.has(stateWord(value));
}

/**
 * Reports whether a member shows that a job has ended. `word` is the last word of the member's
 * name, `earlier` contains its values before its last change, and `last` is its final value.
 * `mayEnd` must have returned true for `word` and `last`.
 */
function isEnd(word: string, earlier: readonly unknown[], last: unknown): boolean {
  if (typeof last === "boolean") return earlier.every((one) => one === !last);
  if (typeof last === "number") {
    return earlier.every((one) => typeof one === "number" && one >= 0 && one < 100);
  }
  const isState = (one: unknown) => typeof one === "string" && PLAIN.test(one) && one !== last;
  if (!earlier.every(isState)) return false;
  const states = earlier.map((one) => stateWord(one as string));
  if (states.some((state) => NOT_AWAITED.has(state))) return false;
  const end = stateWord(last as string);
  if (states.every(isWorking)) return FINAL.has(end) || !states.some((one) => LASTING.has(one));
  return STATE.has(word) && FINAL.has(end) && (!UNCERTAIN.has(end) || states.some(isWorking));
}

function isWorking(state: string): boolean {
  const word = stateWord(state);
  return WORKING.has(word) || word.endsWith("ing");
}
