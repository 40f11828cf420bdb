import { mayStartThread } from "../../base/start_thread.ts";
import { RUN_THREAD } from "./worker_runner.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import {
  isOpenModel,
  maxVus,
  plannedIterations,
  rateCurve,
  type Scenario,
} from "../../plan/kinds/executors/executors.ts";
import { listSteps } from "../../plan/kinds/steps/list_requests.ts";

/**
 * Maximum number of iterations that one thread should start per second. A thread can start ten
 * times as many, but the flow of each iteration also takes time.
 */
const STARTS_PER_SECOND = 10_000;
/** Maximum number of VUs that one thread should run. */
const VUS = 1_000;
/**
 * Number of VUs without pauses that keep one thread busy if the target responds within a fraction
 * of a millisecond.
 */
const BUSY_VUS = 8;
/** Maximum number of iterations for which starting more than one thread is not worthwhile. */
const FEW_ITERATIONS = 10_000;

/**
 * Returns the number of threads to use for a plan on a machine with `cores` CPU cores. It is 1 for
 * small loads, and if a checkout may not start threads. Closed models without pauses use more threads per VU than others, because their load
 * depends only on how fast the target responds.
 */
export function workerCount({ scenarios, defaults }: Plan, cores: number): number {
  if (!mayStartThread(RUN_THREAD)) return 1;
  const loads = Object.values(scenarios);
  const sum = (of: (scenario: Scenario) => number) => loads.reduce((n, load) => n + of(load), 0);
  const wanted = Math.max(
    Math.ceil(sum(startsPerSecond) / STARTS_PER_SECOND),
    Math.ceil(sum(maxVus) / VUS),
    Math.floor(sum((load) => isBusy(load, defaults?.think_time) ? maxVus(load) : 0) / BUSY_VUS),
  );
  return Math.max(1, Math.min(wanted, cores, Math.min(...loads.map(maxVus))));
}

/**
 * Returns the maximum planned rate of a scenario in iterations per second, or 0 for closed models,
 * which have no planned rate.
 */
function startsPerSecond(scenario: Scenario): number {
  return Math.max(0, ...rateCurve(scenario).map(({ rate }) => rate));
}

/** Reports whether the VUs of a scenario run many iterations without pauses. */
function isBusy(scenario: Scenario, defaultThinkTime: unknown): boolean {
  const { executor, think_time = defaultThinkTime, pacing, throttle, flow } = scenario;
  if (isOpenModel(executor) || plannedIterations(scenario) <= FEW_ITERATIONS) return false;
  if (think_time !== undefined || pacing || throttle) return false;
  return !listSteps(flow).some((step) => step.think_time !== undefined || step.websocket);
}
