import { isMap } from "../base/exact_number.ts";
import { durationMs } from "../base/format.ts";
import { listRequests } from "../plan/kinds/list_requests.ts";
import type { Request } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { NeededPause } from "./pause_trial.ts";

/** Path of a step in a plan, such as `["scenarios", "main", "flow", 2]`. */
export type StepPath = readonly (string | number)[];

/**
 * Adds pauses before requests of a plan. The `index` of a pause counts the requests of all
 * scenarios from 0. If a constant pause precedes the request, lengthens it instead.
 */
export function insertPauses(plan: Plan, pauses: readonly NeededPause[]): Plan {
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

/** Returns the length of a constant pause in milliseconds, or undefined for any other step. */
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
