import { RunError } from "../../base/errors.ts";
import { mergeCounts, mergeMetrics, mergeSnapshots } from "../metrics/merge_snapshots.ts";
import { mergeSeconds } from "../metrics/timeline_point.ts";
import type { Runner, RunResult } from "../runner.ts";
import type { TickReport } from "../metrics/snapshot.ts";
import type { SampleBatch } from "../metrics/sample.ts";
import { canStartThread, isSameClock } from "../clock/threads.ts";
import type { WorkerCommand, WorkerJob, WorkerReport } from "./messages.ts";

const MODULE = new URL("./shard_worker.ts", import.meta.url);

/**
 * Time in ms within which a thread must confirm `kill`. Otherwise, the thread counts as blocked.
 */
const BLOCKED_MS = 1_500;
/**
 * Time in ms to wait after the planned end of the run before killing threads that are still
 * running.
 */
const OVERDUE_MS = 10_000;

/** Error for a thread that does not confirm `kill`. */
const BLOCKED = new RunError(
  "could not end the run normally: an expression in the plan took too long to evaluate on a " +
    "response and blocked a worker thread. The thread was terminated, so there is no summary. " +
    "Simplify the plan's expressions.",
);

/** Worker thread and the latest reports from it. */
interface Thread {
  readonly worker: Worker;
  second: TickReport | undefined;
  /** True if the thread has confirmed `kill`. */
  killed: boolean;
  result: RunResult | undefined;
}

/**
 * Starts one thread for each job. Resolves to undefined if a thread cannot be started or uses a
 * different time scale from this thread. Rejects if a thread cannot prepare its shard.
 */
export async function createWorkerRunner(
  jobs: readonly WorkerJob[],
  times: Pick<Runner, "plannedMs" | "endsMs">,
): Promise<Runner | undefined> {
  if (!await canStartThread(MODULE)) return undefined;
  const threads = jobs.map((): Thread => ({
    worker: new Worker(new URL("./shard_worker.ts", import.meta.url), { type: "module" }),
    second: undefined,
    killed: false,
    result: undefined,
  }));
  let allStarted = false;
  try {
    const started = await Promise.all(threads.map(({ worker }, i) => prepare(worker, jobs[i])));
    allStarted = started.every(Boolean);
    return allStarted ? new WorkerRunner(threads, times) : undefined;
  } finally {
    if (!allStarted) { for (const { worker } of threads) worker.terminate(); }
  }
}

/**
 * Makes a thread prepare its job. Resolves to false if the thread cannot be started or uses a
 * different time scale from this thread. Rejects if it cannot prepare its shard.
 */
function prepare(worker: Worker, job: WorkerJob): Promise<boolean> {
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(false);
    };
    worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
      if (data.kind === "failed") reject(new Error(data.message));
      else resolve(data.kind === "ready" && isSameClock(data.now));
    };
    send(worker, { kind: "prepare", job });
  });
}

/** Runs shards in separate threads and adds up their counts. */
class WorkerRunner implements Runner {
  readonly plannedMs: number;
  readonly endsMs: number;
  readonly #threads: readonly Thread[];
  #second = 0;
  readonly #timers: ReturnType<typeof setTimeout>[] = [];
  #fail: (error: Error) => void = () => {};

  constructor(
    threads: readonly Thread[],
    { plannedMs, endsMs }: Pick<Runner, "plannedMs" | "endsMs">,
  ) {
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

  kill(): void {
    for (const { worker } of this.#threads) send(worker, { kind: "kill" });
    this.#timers.push(setTimeout(() => {
      if (this.#threads.some(({ killed, result }) => !killed && !result)) this.#fail(BLOCKED);
    }, BLOCKED_MS));
  }

  #runThread(
    thread: Thread,
    startsAt: number,
    onSecond: (second: TickReport) => void,
    onSamples: (batch: SampleBatch) => void,
  ): Promise<RunResult> {
    return new Promise((resolve, reject) => {
      const fail = (message: string) => failed(new Error(message));
      const failed = this.#fail = (error) => {
        for (const { worker } of this.#threads) worker.terminate();
        reject(error);
      };
      thread.worker.onerror = (event) => {
        event.preventDefault();
        fail(event.message);
      };
      thread.worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
        if (data.kind === "failed") return fail(data.message);
        if (data.kind === "killed") {
          thread.killed = true;
          return;
        }
        if (data.kind === "samples") return onSamples(data.batch);
        if (data.kind === "second") thread.second = data.second;
        if (data.kind === "finished") {
          thread.result = data.result;
          if (data.result.ended) this.stop();
          resolve(data.result);
        }
        this.#tick(onSecond);
      };
      send(thread.worker, { kind: "start", startsAt: performance.timeOrigin + startsAt });
    });
  }

  /**
   * Calls `onSecond` with the merged counts of a one-second interval as soon as every running
   * thread has reported that interval.
   */
  #tick(onSecond: (second: TickReport) => void): void {
    const at = Math.min(
      ...this.#threads.map(({ second, result }) => result ? Infinity : second?.last.at ?? 0),
    );
    if (at === Infinity || at <= this.#second) return;
    this.#second = at;
    const seconds = this.#threads.map(({ second }) => second).filter((second) =>
      second !== undefined
    );
    onSecond({
      metrics: mergeMetrics(seconds.map(({ metrics }) => metrics)),
      last: mergeSeconds(seconds.map(({ last }) => last).filter((last) => last.at === at)),
      scenarios: mergeCounts(seconds.map(({ scenarios }) => scenarios)),
    });
  }
}

function send(worker: Worker, message: WorkerCommand): void {
  worker.postMessage(message);
}
