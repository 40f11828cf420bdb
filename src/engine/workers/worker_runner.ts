import { RunError } from "../../base/errors.ts";
import { mergeCounts, mergeMetrics, mergeSnapshots } from "../metrics/merge_snapshots.ts";
import { mergeSeconds } from "../metrics/timeline_point.ts";
import { mayStart } from "../may_start.ts";
import type { Runner, RunResult, TickReport } from "../runner.ts";
import type { SampleBatch } from "../outputs/sample.ts";
import { countsAlike } from "../thread_time.ts";
import type { WorkerCommand, WorkerJob, WorkerReport } from "./messages.ts";

const MODULE = new URL("./share_worker.ts", import.meta.url);

/** A thread that has not obeyed for so long is blocked. */
const BLOCKED_MS = 1_500;
/** A thread that still runs so long after the run should be over may be blocked. */
const OVERDUE_MS = 10_000;
const BLOCKED = new RunError(
  "the run does not end: in a thread that makes load, an expression of the plan takes too long on " +
    "a response; the thread is terminated and there is no summary",
);

/** One thread and what it has reported. */
interface Thread {
  readonly worker: Worker;
  second: TickReport | undefined;
  /** It has obeyed the order to kill. */
  killed: boolean;
  played: RunResult | undefined;
}

/**
 * Starts a thread for each job. Undefined where no thread can be started; rejects when one cannot
 * play its share.
 */
export async function workerRunner(
  jobs: readonly WorkerJob[],
  times: Pick<Runner, "plannedMs" | "endsMs">,
): Promise<Runner | undefined> {
  if (!await mayStart(MODULE)) return undefined;
  const threads = jobs.map((): Thread => ({
    worker: new Worker(new URL("./share_worker.ts", import.meta.url), { type: "module" }),
    second: undefined,
    killed: false,
    played: undefined,
  }));
  let allStarted = false;
  try {
    const started = await Promise.all(threads.map(({ worker }, i) => prepare(worker, jobs[i])));
    allStarted = started.every(Boolean);
    return allStarted ? new WorkerPlayer(threads, times) : undefined;
  } finally {
    if (!allStarted) { for (const { worker } of threads) worker.terminate(); }
  }
}

/** False when the thread cannot be started, or counts time otherwise. */
function prepare(worker: Worker, job: WorkerJob): Promise<boolean> {
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(false);
    };
    worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => {
      if (data.kind === "failed") reject(new Error(data.message));
      else resolve(data.kind === "ready" && countsAlike(data.now));
    };
    order(worker, { kind: "prepare", job });
  });
}

/** Plays shares in threads of their own, and adds up what they count. */
class WorkerPlayer implements Runner {
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

  async play(
    startsAt: number,
    onSecond: (second: TickReport) => void,
    onSamples: (batch: SampleBatch) => void,
  ): Promise<RunResult> {
    const overdueMs = startsAt + this.endsMs + OVERDUE_MS - performance.now();
    // A longer timer would overflow; that is 24 days.
    if (overdueMs < 2 ** 31) this.#timers.push(setTimeout(() => this.kill(), overdueMs));
    const played = await Promise.all(
      this.#threads.map((thread) => this.#play(thread, startsAt, onSecond, onSamples)),
    ).finally(() => this.#timers.forEach(clearTimeout));
    return {
      snapshot: mergeSnapshots(played.map(({ snapshot }) => snapshot)),
      ended: played.find(({ ended }) => ended)?.ended,
    };
  }

  stop(): void {
    for (const { worker } of this.#threads) order(worker, { kind: "stop" });
  }

  kill(): void {
    for (const { worker } of this.#threads) order(worker, { kind: "kill" });
    this.#timers.push(setTimeout(() => {
      if (this.#threads.some(({ killed, played }) => !killed && !played)) this.#fail(BLOCKED);
    }, BLOCKED_MS));
  }

  #play(
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
        if (data.kind === "played") {
          thread.played = data.played;
          if (data.played.ended) this.stop();
          resolve(data.played);
        }
        this.#tick(onSecond);
      };
      order(thread.worker, { kind: "start", startsAt: performance.timeOrigin + startsAt });
    });
  }

  /** Passes a second on as soon as every thread that still plays has told of it. */
  #tick(onSecond: (second: TickReport) => void): void {
    const at = Math.min(
      ...this.#threads.map(({ second, played }) => played ? Infinity : second?.last.at ?? 0),
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

function order(worker: Worker, message: WorkerCommand): void {
  worker.postMessage(message);
}
