import { mayStartThread } from "../base/start_thread.ts";
import type { NetworkOptions } from "../http/network_options.ts";
import { networkSender } from "../http/network_session.ts";
import {
  isOpenModel,
  maxVus,
  plannedIterations,
  rateCurve,
  type Scenario,
} from "../plan/kinds/executors.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import { subShard } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Readers } from "./flow/constants.ts";
import {
  needsPreciseClock,
  prepareHere,
  prepareRun,
  type RunOptions,
  type RunParts,
} from "./run_plan.ts";
import type { PreparedRun, Runner } from "./runner.ts";
import { ShardRunner } from "./shard_runner.ts";
import type { Summary } from "./summary/summary.ts";
import { superviseRun } from "./supervise_run.ts";
import { realClock } from "./vu/clock.ts";
import { createWorkerRunner, RUN_THREAD } from "./worker_runner.ts";

/** Options for a run over the network. */
export interface CoresOptions extends Omit<RunOptions, "sender" | "clock"> {
  readonly network: NetworkOptions;
  /**
   * Number of threads. With 1, the plan runs in this thread. The default is `workerCount`.
   */
  readonly workers?: number;
}

/**
 * Runs a plan over the network with as many threads as the load needs. Throws InputError if the
 * plan cannot run, and RunError if a thread cannot be started or does not end.
 */
export async function runOnCores(plan: Plan, options: CoresOptions): Promise<Summary> {
  using prepared = await prepareOnCores(plan, options);
  return await superviseRun(plan, prepared, options);
}

/**
 * Prepares a run over the network, with as many threads as the load needs. Throws InputError if the
 * plan cannot run, and RunError if a thread cannot be started.
 */
export async function prepareOnCores(
  plan: Plan,
  options: CoresOptions,
): Promise<PreparedRun & Disposable> {
  const { workers = workerCount(plan, navigator.hardwareConcurrency) } = options;
  using opened = new DisposableStack();
  const sender = opened.adopt(networkSender(options.network), (sender) => sender.close());
  const own = { ...options, sender };
  const threads = (parts: RunParts) => createThreads(plan, workers, options.network, parts);
  const prepared = workers > 1
    ? await prepareRun(plan, own, realClock, threads, workers)
    : undefined;
  const used = opened.use(prepared ?? await prepareHere(plan, own));
  const all = opened.move();
  return { ...used, [Symbol.dispose]: () => all.dispose() };
}

async function createThreads(
  plan: Plan,
  workers: number,
  network: NetworkOptions,
  parts: RunParts,
): Promise<Runner | undefined> {
  const { shard: outer, seed, dataSeed, samples = false, details = false } = parts;
  const { readers, files, env } = recordingReaders(parts);
  // Compiling the plan here reports its errors and records the files that the workers need.
  const { plannedMs, endsMs } = new ShardRunner(plan, { ...parts, ...readers });
  const text = JSON.stringify(plan);
  const jobs = Array.from({ length: workers }, (_, index) => {
    const shard = subShard(outer, { index, of: workers });
    const preciseClock = needsPreciseClock(plan);
    const seeds = { seed, dataSeed };
    return { plan: text, shard, ...seeds, network, files, env, samples, details, preciseClock };
  });
  return await createWorkerRunner(jobs, { plannedMs, endsMs }, parts.setup);
}

/**
 * Wraps `readFile` and `readEnv`. `files` and `env` record everything that the wrapped functions
 * read, so that it can be sent to the workers.
 */
function recordingReaders({ readFile, readEnv }: Readers): {
  readers: Readers;
  files: Map<string, Uint8Array>;
  env: Map<string, string | undefined>;
} {
  const files = new Map<string, Uint8Array>();
  const env = new Map<string, string | undefined>();
  const keep = <T>(map: Map<string, T>, read: (key: string) => T) => (key: string): T => {
    const value = map.get(key) ?? read(key);
    map.set(key, value);
    return value;
  };
  return { readers: { readFile: keep(files, readFile), readEnv: keep(env, readEnv) }, files, env };
}

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
 * small loads, and if a checkout may not start threads. Closed models without pauses use more
 * threads per VU than others, because their load depends only on how fast the target responds.
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

function isBusy(scenario: Scenario, defaultThinkTime: unknown): boolean {
  const { executor, think_time = defaultThinkTime, pacing, throttle, flow } = scenario;
  if (isOpenModel(executor) || plannedIterations(scenario) <= FEW_ITERATIONS) return false;
  if (think_time !== undefined || pacing || throttle) return false;
  return !listSteps(flow).some((step) => step.think_time !== undefined || step.websocket);
}
