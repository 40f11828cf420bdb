import { RunError } from "../base/errors.ts";
import { isSameClock, startThread, threadTime } from "../base/start_thread.ts";
import type { SetupValues } from "./flow/scope.ts";
import type { LoadState } from "./kinds/load_control.ts";
import {
  mergeCounts,
  mergeDetails,
  mergeMetrics,
  mergeSnapshots,
} from "./metrics/merge_summaries.ts";
import type { SampleBatch } from "./metrics/sample.ts";
import type { TickReport } from "./metrics/snapshot.ts";
import { mergeSeconds } from "./metrics/timeline.ts";
import type { Runner, RunResult } from "./runner.ts";
import type { WorkerCommand, WorkerJob, WorkerReport } from "./shard_worker.ts";

/** Entry module of the threads that run a plan. */
export const RUN_THREAD: URL | string = new URL("./shard_worker.ts", import.meta.url);

/** Time in ms between two checks of whether the threads have confirmed `kill`. */
const CHECK_MS = 100;
/**
 * Number of checks within which a thread must confirm `kill`. Otherwise, the thread counts as
 * blocked. The limit is a number of checks instead of a time, so that threads do not count as
 * blocked after the system has suspended the process.
 */
const MAX_CHECKS = 15;
/**
 * Time in ms to wait after the planned end of the run before killing threads that are still
 * running.
 */
const OVERDUE_MS = 10_000;

/** Message of the error with which a run fails if a thread does not confirm `kill`. */
const BLOCKED =
  "could not end the run normally: a worker thread was busy, for example with an expression in the " +
  "plan that takes long to evaluate on a response. The thread was terminated, so there is no " +
  "summary. Simplify the plan's expressions, or use fewer VUs, a lower rate, or more machines.";

interface Thread {
  readonly worker: Worker;
  /** Called if the thread cannot be loaded or does not catch an error. */
  fail: (error: Error) => void;
  /**
   * Reports from this thread that have not been merged yet, because another thread has not reported
   * the same second. The first item can be the last merged report.
   */
  readonly seconds: TickReport[];
  /** True if the thread has confirmed `kill`. */
  killed: boolean;
  result: RunResult | undefined;
}

/**
 * Starts one thread for each job. Resolves to undefined if a thread uses a different time scale
 * from this thread. Rejects if a thread cannot be started or cannot prepare its shard.
 */
export async function createWorkerRunner(
  jobs: readonly WorkerJob[],
  times: Pick<Runner, "plannedMs" | "endsMs">,
  setup: SetupValues = { current: {} },
): Promise<Runner | undefined> {
  const threads = jobs.map(newThread);
  let allStarted = false;
  try {
    const started = await Promise.all(threads.map((thread, i) => prepare(thread, jobs[i])));
    allStarted = started.every(Boolean);
    return allStarted ? new WorkerRunner(threads, times, setup) : undefined;
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

/**
 * Makes a thread prepare its job. Resolves to false if the thread uses a different time scale from
 * this thread. Rejects if it cannot be loaded or cannot prepare its shard.
 */
function prepare(thread: Thread, job: WorkerJob): Promise<boolean> {
  return new Promise((resolve, reject) => {
    thread.fail = reject;
    thread.worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
      if (data.kind === "failed") reject(new Error(data.message));
      else resolve(data.kind === "ready" && isSameClock(data.now));
    };
    send(thread.worker, { kind: "prepare", job });
  });
}

/** Runs shards in separate threads and adds up their counts. */
class WorkerRunner implements Runner {
  readonly plannedMs: number;
  readonly endsMs: number;
  readonly #threads: readonly Thread[];
  readonly #setup: SetupValues;
  #second = 0;
  /** Number of threads in which a scenario has ended, by scenario name. */
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

  async run(
    startsAt: number,
    onSecond: (second: TickReport) => void,
    onSamples: (batch: SampleBatch) => void,
  ): Promise<RunResult> {
    const overdueMs = startsAt + this.endsMs + OVERDUE_MS - performance.now();
    // `setTimeout` overflows at 2^31 ms (24 days).
    if (overdueMs < 2 ** 31) this.#timers.push(setTimeout(() => this.kill(), overdueMs));
    const results = await Promise.all(
      this.#threads.map((thread) => this.#runThread(thread, startsAt, onSecond, onSamples)),
    ).finally(() => this.#timers.forEach(clearTimeout));
    return {
      snapshot: mergeSnapshots(results.map(({ snapshot }) => snapshot)),
      ended: results.find(({ ended }) => ended)?.ended,
    };
  }

  stop(): void {
    for (const { worker } of this.#threads) send(worker, { kind: "stop" });
  }

  setLoad(load: LoadState): void {
    for (const { worker } of this.#threads) send(worker, { kind: "load", load });
  }

  kill(): void {
    for (const { worker } of this.#threads) send(worker, { kind: "kill" });
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
    onSecond: (second: TickReport) => void,
    onSamples: (batch: SampleBatch) => void,
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
        if (data.kind === "samples") return onSamples(data.batch);
        if (data.kind === "second") thread.seconds.push(data.second);
        if (data.kind === "finished") {
          thread.result = data.result;
          if (data.result.ended) this.stop();
          resolve(data.result);
        }
        this.#tick(onSecond);
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
    const message = { kind: "ended everywhere", scenario, at: threadTime() } as const;
    for (const { worker } of this.#threads) send(worker, message);
  }

  #tick(onSecond: (second: TickReport) => void): void {
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
      onSecond({
        metrics: mergeMetrics(reports.map(({ metrics }) => metrics)),
        last: mergeSeconds(reports.map(({ last }) => last).filter((last) => last.at === at)),
        scenarios: mergeCounts(reports.map(({ scenarios }) => scenarios)),
        ...(details.length > 0 && { details: mergeDetails(details) }),
      });
    }
  }
}

/**
 * Returns the first second after `done` that the reports of a thread cover. Without such a report,
 * returns Infinity if the thread has ended (`result` is set), otherwise -Infinity.
 */
function nextSecond(seconds: readonly TickReport[], done: number, result: unknown): number {
  const next = seconds.find(({ last }) => last.at > done);
  return next?.last.at ?? (result ? Infinity : -Infinity);
}

function send(worker: Worker, message: WorkerCommand): void {
  worker.postMessage(message);
}
