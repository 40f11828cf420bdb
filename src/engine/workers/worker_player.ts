import { mergeCounts, mergeMetrics, mergeSnapshots } from "../metrics/merge_snapshots.ts";
import { mergeSeconds } from "../metrics/timeline_point.ts";
import { mayStart } from "../may_start.ts";
import type { Played, Player, Second } from "../player.ts";
import type { SampleBatch } from "../outputs/sample.ts";
import { countsAlike } from "../thread_time.ts";
import type { Job, Order, Report } from "./messages.ts";

const MODULE = new URL("./share_worker.ts", import.meta.url);

/** One thread and what it has reported. */
interface Thread {
  readonly worker: Worker;
  second: Second | undefined;
  played: Played | undefined;
}

/**
 * Starts a thread for each job. Undefined where no thread can be started; rejects when one cannot
 * play its share.
 */
export async function workerPlayer(
  jobs: readonly Job[],
  plannedMs: number,
): Promise<Player | undefined> {
  if (!await mayStart(MODULE)) return undefined;
  const threads = jobs.map((): Thread => ({
    worker: new Worker(new URL("./share_worker.ts", import.meta.url), { type: "module" }),
    second: undefined,
    played: undefined,
  }));
  let allStarted = false;
  try {
    const started = await Promise.all(threads.map(({ worker }, i) => prepare(worker, jobs[i])));
    allStarted = started.every(Boolean);
    return allStarted ? new WorkerPlayer(threads, plannedMs) : undefined;
  } finally {
    if (!allStarted) { for (const { worker } of threads) worker.terminate(); }
  }
}

/** False when the thread cannot be started, or counts time otherwise. */
function prepare(worker: Worker, job: Job): Promise<boolean> {
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(false);
    };
    worker.onmessage = ({ data }: MessageEvent<Report>) => {
      if (data.kind === "failed") reject(new Error(data.message));
      else resolve(data.kind === "ready" && countsAlike(data.now));
    };
    order(worker, { kind: "prepare", job });
  });
}

/** Plays shares in threads of their own, and adds up what they count. */
class WorkerPlayer implements Player {
  readonly plannedMs: number;
  readonly #threads: readonly Thread[];
  #second = 0;

  constructor(threads: readonly Thread[], plannedMs: number) {
    this.#threads = threads;
    this.plannedMs = plannedMs;
  }

  async play(
    startsAt: number,
    onSecond: (second: Second) => void,
    onSamples: (batch: SampleBatch) => void,
  ): Promise<Played> {
    const played = await Promise.all(
      this.#threads.map((thread) => this.#play(thread, startsAt, onSecond, onSamples)),
    );
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
  }

  #play(
    thread: Thread,
    startsAt: number,
    onSecond: (second: Second) => void,
    onSamples: (batch: SampleBatch) => void,
  ): Promise<Played> {
    return new Promise((resolve, reject) => {
      const fail = (message: string) => {
        for (const { worker } of this.#threads) worker.terminate();
        reject(new Error(message));
      };
      thread.worker.onerror = (event) => {
        event.preventDefault();
        fail(event.message);
      };
      thread.worker.onmessage = ({ data }: MessageEvent<Report>) => {
        if (data.kind === "failed") return fail(data.message);
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
  #tick(onSecond: (second: Second) => void): void {
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

function order(worker: Worker, message: Order): void {
  worker.postMessage(message);
}
