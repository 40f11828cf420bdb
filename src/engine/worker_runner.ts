import { RunError } from "../base/errors.ts";
import { checkThreadTime, mayStartThread, startThread, threadTime } from "../base/start_thread.ts";
import type { NetworkOptions } from "../http/network_options.ts";
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
import type { SetupValues } from "./flow/scope.ts";
import {
  mergeCounts,
  mergeDetails,
  mergeMetrics,
  mergeSnapshots,
} from "./metrics/merge_summaries.ts";
import type { TickReport } from "./metrics/snapshot.ts";
import { mergeSeconds } from "./metrics/timeline.ts";
import { onAbort, type RunHooks, type Runner, type RunResult } from "./runner.ts";
import { type ShardParts, ShardRunner } from "./shard_runner.ts";
import type { WorkerCommand, WorkerJob, WorkerReport } from "./shard_worker.ts";

const RUN_THREAD: URL | string = new URL("./shard_worker.ts", import.meta.url);

const CHECK_MS = 100;
/**
 * Number of checks within which a thread must confirm `kill`. Otherwise, the thread counts as
 * blocked. The limit is a number of checks instead of a time, so that threads do not count as
 * blocked after the system has suspended the process.
 */
const MAX_CHECKS = 15;
/** Time in ms after the planned end before threads that still run are killed. */
const OVERDUE_MS = 10_000;

const BLOCKED =
  "could not end the run normally: a worker thread was busy, for example with an expression in the " +
  "plan that takes long to evaluate on a response. The thread was terminated, so there is no " +
  "summary. Simplify the plan's expressions, or use fewer VUs, a lower rate, or more machines.";

interface Thread {
  readonly worker: Worker;
  fail: (error: Error) => void;
  /** Reports to merge once all threads have reported the second. The first may be merged. */
  readonly seconds: TickReport[];
  killed: boolean;
  result: RunResult | undefined;
}

/** Compiles the plan and starts threads that run it. Rejects if one cannot start. */
export async function createWorkerRunner(
  plan: Plan,
  workers: number,
  network: NetworkOptions,
  parts: ShardParts,
): Promise<Runner> {
  const { shard: outer, seed, dataSeed, samples = false, details = false } = parts;
  const { readers, files, env } = recordingReaders(parts);
  // Compiling the plan here reports its errors and records the files that the workers need.
  const { plannedMs, endsMs } = new ShardRunner(plan, { ...parts, ...readers });
  const text = JSON.stringify(plan);
  const jobs = Array.from({ length: workers }, (_, index): WorkerJob => {
    const shard = subShard(outer, { index, of: workers });
    return { plan: text, shard, seed, dataSeed, network, files, env, samples, details };
  });
  const threads = jobs.map(newThread);
  let allStarted = false;
  try {
    await Promise.all(threads.map((thread, i) => prepare(thread, jobs[i]).then(checkThreadTime)));
    allStarted = true;
    return new WorkerRunner(threads, { plannedMs, endsMs }, parts.setup ?? { current: {} });
  } finally {
    if (!allStarted) { for (const { worker } of threads) worker.terminate(); }
  }
}

function newThread(): Thread {
  const thread: Thread = {
    worker: startThread("load", RUN_THREAD, (error) => thread.fail(error)),
    fail: () => {},
    seconds: [],
    killed: false,
    result: undefined,
  };
  return thread;
}

/** Prepares a thread. Resolves to its `threadTime`. */
function prepare(thread: Thread, job: WorkerJob): Promise<number> {
  return new Promise((resolve, reject) => {
    thread.fail = reject;
    thread.worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
      if (data.kind === "failed") reject(new Error(data.message));
      else if (data.kind === "ready") resolve(data.now);
    };
    send(thread.worker, { kind: "prepare", job });
  });
}

class WorkerRunner implements Runner {
  readonly plannedMs: number;
  readonly endsMs: number;
  readonly #threads: readonly Thread[];
  readonly #setup: SetupValues;
  #second = 0;
  readonly #ended = new Map<string, number>();
  readonly #timers: ReturnType<typeof setTimeout>[] = [];
  #fail: (error: Error) => void = () => {};

  constructor(
    threads: readonly Thread[],
    { plannedMs, endsMs }: Pick<Runner, "plannedMs" | "endsMs">,
    setup: SetupValues,
  ) {
    this.#setup = setup;
    this.#threads = threads;
    this.plannedMs = plannedMs;
    this.endsMs = endsMs;
  }

  async run(startsAt: number, hooks: RunHooks): Promise<RunResult> {
    const overdueMs = startsAt + this.endsMs + OVERDUE_MS - performance.now();
    // `setTimeout` overflows at 2^31 ms (24 days).
    if (overdueMs < 2 ** 31) this.#timers.push(setTimeout(() => this.#kill(), overdueMs));
    const running = this.#threads.map((thread) => this.#runThread(thread, startsAt, hooks));
    hooks.onControl?.((load) => this.#sendAll({ kind: "load", load }));
    using _stop = onAbort(hooks.stop, () => this.#sendAll({ kind: "stop" }));
    using _kill = onAbort(hooks.kill, () => this.#kill());
    const results = await Promise.all(running).finally(() => this.#timers.forEach(clearTimeout));
    return {
      snapshot: mergeSnapshots(results.map(({ snapshot }) => snapshot)),
      ended: results.find(({ ended }) => ended)?.ended,
    };
  }

  #sendAll(message: WorkerCommand): void {
    for (const { worker } of this.#threads) send(worker, message);
  }

  #kill(): void {
    this.#sendAll({ kind: "kill" });
    let checks = 0;
    const timer = setInterval(() => {
      if (++checks < MAX_CHECKS) return;
      clearInterval(timer);
      const isBlocked = this.#threads.some(({ killed, result }) => !killed && !result);
      if (isBlocked) this.#fail(new RunError(BLOCKED));
    }, CHECK_MS);
    this.#timers.push(timer);
  }

  #runThread(
    thread: Thread,
    startsAt: number,
    hooks: RunHooks,
  ): Promise<RunResult> {
    return new Promise((resolve, reject) => {
      thread.fail = this.#fail = (error) => {
        for (const { worker } of this.#threads) worker.terminate();
        reject(error);
      };
      thread.worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
        if (data.kind === "failed") return thread.fail(new Error(data.message));
        if (data.kind === "killed") {
          thread.killed = true;
          return;
        }
        if (data.kind === "ended") return this.#countEnd(data.scenario);
        if (data.kind === "samples") return hooks.onSamples?.(data.batch);
        if (data.kind === "second") thread.seconds.push(data.second);
        if (data.kind === "finished") {
          thread.result = data.result;
          if (data.result.ended) this.#sendAll({ kind: "stop" });
          resolve(data.result);
        }
        this.#tick(hooks);
      };
      send(thread.worker, {
        kind: "start",
        startsAt: performance.timeOrigin + startsAt,
        setup: JSON.stringify(this.#setup.current),
      });
    });
  }

  #countEnd(scenario: string): void {
    const count = (this.#ended.get(scenario) ?? 0) + 1;
    this.#ended.set(scenario, count);
    if (count < this.#threads.length) return;
    this.#sendAll({ kind: "ended everywhere", scenario, at: threadTime() });
  }

  #tick({ onSecond }: RunHooks): void {
    for (;;) {
      const at = Math.min(
        ...this.#threads.map(({ seconds, result }) => nextSecond(seconds, this.#second, result)),
      );
      if (!Number.isFinite(at)) return;
      this.#second = at;
      const reports = this.#threads.map(({ seconds }) => {
        while (seconds.length > 1 && seconds[1].last.at <= at) seconds.shift();
        return seconds[0];
      }).filter((report) => report !== undefined && report.last.at <= at);
      const details = reports.map(({ details }) => details).filter((one) => one !== undefined);
      onSecond?.({
        metrics: mergeMetrics(reports.map(({ metrics }) => metrics)),
        last: mergeSeconds(reports.map(({ last }) => last).filter((last) => last.at === at)),
        scenarios: mergeCounts(reports.map(({ scenarios }) => scenarios)),
        ...(details.length > 0 && { details: mergeDetails(details) }),
      });
    }
  }
}

/** Returns the first second after `done` in the reports; ±Infinity without one. */
function nextSecond(seconds: readonly TickReport[], done: number, result: unknown): number {
  const next = seconds.find(({ last }) => last.at > done);
  return next?.last.at ?? (result ? Infinity : -Infinity);
}

function send(worker: Worker, message: WorkerCommand): void {
  worker.postMessage(message);
}

/** Wraps readers, and records what they read for the workers. */
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

/** Iterations that one thread should start per second, because their flows take time too. */
const STARTS_PER_SECOND = 10_000;
const VUS = 1_000;
/** VUs without pauses that keep one thread busy if the target responds at once. */
const BUSY_VUS = 8;
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

/** Returns the maximum planned rate per second, or 0 for closed models. */
function startsPerSecond(scenario: Scenario): number {
  return Math.max(0, ...rateCurve(scenario).map(({ rate }) => rate));
}

function isBusy(scenario: Scenario, defaultThinkTime: unknown): boolean {
  const { executor, think_time = defaultThinkTime, pacing, throttle, flow } = scenario;
  if (isOpenModel(executor) || plannedIterations(scenario) <= FEW_ITERATIONS) return false;
  if (think_time !== undefined || pacing || throttle) return false;
  return !listSteps(flow).some((step) => step.think_time !== undefined || step.websocket);
}
