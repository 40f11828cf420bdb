import { isMap } from "../base/exact_number.ts";
import { durationMs } from "../base/format.ts";
import { listRequests } from "../plan/kinds/list_requests.ts";
import type { Request } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { looksGenerated } from "../traffic/session/dynamic_value.ts";
import { generatedValues } from "../verify/generated_values.ts";
import { isAsRecorded, type Round } from "./attempts.ts";
import { PROOF } from "./budget.ts";
import { PlanDraft } from "./draft.ts";
import type { RoundParts } from "./parts.ts";
import { quoteValue } from "./trial.ts";
import type { ConstantVariable } from "./variable_watch.ts";

// These edits follow the last round, which shows what the resulting plan does only because its
// requests send the same bytes, after the same pauses.

/**
 * Removes extractors whose values all requests now take from elsewhere. Does not change what the
 * requests send.
 */
export function removeUnused(parts: RoundParts): void {
  const { draft, plan } = parts;
  const given = new PlanDraft(plan);
  const isUsed = (one: PlanDraft, index: number, name: string) => {
    const { consumers, messages } = one.usesOf(index, name);
    return consumers.length + messages > 0;
  };
  for (let source = 0; source < draft.size; source++) {
    const before = given.at(source).extract ?? [];
    for (const { name: variable } of draft.at(source).extract ?? []) {
      const isGiven = before.some(({ name }) => name === variable);
      if (isUsed(draft, source, variable) || isGiven && !isUsed(given, source, variable)) continue;
      release({ source, variable, value: "", numeric: false }, parts);
    }
  }
}

/**
 * Replaces variables that were equal in the recording and in all responses to two users with their
 * values, if the requests only insert them. Keeps values that look generated, because they may
 * differ in another deployment.
 */
export function removeConstants(parts: RoundParts, rounds: readonly Round[]): void {
  const { attempts, draft, variables, log } = parts;
  const outcomes = rounds.filter(({ load }) => load !== "one user")
    .flatMap((round) => attempts.outcomes(round)).filter(isAsRecorded);
  for (const constant of variables.constants) {
    const { variable, source, value } = constant;
    const own = outcomes.filter(({ index }) => index === source);
    const users = new Set(own.map(({ user }) => user));
    if (users.size < PROOF.users || !draft.isOnlyInserted(source, variable)) continue;
    if (looksGenerated(value) || generatedValues(value).length > 0) continue;
    if (!release(constant, parts)) continue;
    log.add(source, `removed the variable ${variable}: its value was always ${quoteValue(value)}`);
  }
}

/**
 * Replaces a variable with a value. Reports whether the plan is then valid. If it is not, for
 * example because a `set` step uses the variable, undoes the change.
 */
function release(
  { source, variable, value, numeric }: ConstantVariable,
  { draft, variables }: RoundParts,
): boolean {
  const before = draft.save();
  draft.release(source, variable, value, numeric);
  if (!draft.isValid()) {
    draft.restore(before);
    return false;
  }
  variables.forget(source, variable);
  return true;
}

/** Path of a step in a plan, such as `["scenarios", "main", "flow", 2]`. */
export type StepPath = readonly (string | number)[];

/** A pause to insert before a request, in milliseconds. `index` is that of the request. */
export interface InsertedPause {
  readonly index: number;
  readonly ms: number;
}

/**
 * Adds pauses before requests of a plan. The `index` of a pause counts the requests of all
 * scenarios from 0. If a constant pause precedes the request, lengthens it instead.
 */
export function insertPauses(plan: Plan, pauses: readonly InsertedPause[]): Plan {
  if (pauses.length === 0) return plan;
  const numbers = numberRequests(plan);
  const lengths = new Map(pauses.map(({ index, ms }) => [index, ms]));
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return withPauses(value, numbers, lengths).map(replaced);
    if (!isMap(value) || numbers.has(value as Request)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, replaced(member)]),
    );
  };
  return { ...plan, scenarios: replaced(plan.scenarios) as Plan["scenarios"] };
}

/**
 * Returns the path of the pause before the request with this index, or undefined if no pause
 * precedes it. The index counts the requests of all scenarios from 0.
 */
export function findPause(plan: Plan, index: number): StepPath | undefined {
  const numbers = numberRequests(plan);
  const search = (value: unknown, path: StepPath): StepPath | undefined => {
    if (!isMap(value) && !Array.isArray(value)) return undefined;
    for (const [key, member] of Object.entries(value)) {
      const step = Array.isArray(value) ? Number(key) : key;
      if (isMap(member) && numbers.get((member as Step).request!) === index) {
        const before = Array.isArray(value) ? value[Number(key) - 1] as Step : undefined;
        return before?.think_time === undefined ? undefined : [...path, Number(key) - 1];
      }
      const found = search(member, [...path, step]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(plan.scenarios, ["scenarios"]);
}

function numberRequests({ scenarios }: Plan): Map<Request, number> {
  const requests = Object.values(scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  return new Map(requests.map((request, index) => [request, index]));
}

function withPauses(
  list: readonly unknown[],
  numbers: ReadonlyMap<Request, number>,
  lengths: ReadonlyMap<number, number>,
): unknown[] {
  return list.reduce((steps: unknown[], step) => {
    const request = isMap(step) ? (step as Step).request : undefined;
    const ms = lengths.get(request === undefined ? -1 : numbers.get(request) ?? -1);
    if (ms === undefined) return [...steps, step];
    const before = constantMs(steps.at(-1));
    const others = before === undefined ? steps : steps.slice(0, -1);
    return [...others, pauseStep(ms + (before ?? 0)), step];
  }, []);
}

function constantMs(step: unknown): number | undefined {
  const pause = isMap(step) ? (step as Step).think_time : undefined;
  if (pause === undefined) return undefined;
  if (typeof pause !== "object") return durationMs(pause);
  return pause.type === "constant" ? durationMs(pause.duration) : undefined;
}

function pauseStep(ms: number): Step {
  const duration = ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`;
  return { think_time: { type: "constant", duration } };
}
