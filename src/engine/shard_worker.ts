/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { parseExactJson } from "../base/exact_number.ts";
import { threadTime } from "../base/start_thread.ts";
import type { NetworkOptions } from "../http/network_options.ts";
import { networkSender } from "../http/network_session.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { SetupValues } from "./flow/scope.ts";
import type { LoadState } from "./kinds/load_control.ts";
import type { SampleBatch, TickReport } from "./metrics/snapshot.ts";
import type { Runner, RunResult } from "./runner.ts";
import { openClock, type ShardParts, ShardRunner } from "./shard_runner.ts";

export interface WorkerJob
  extends Required<Pick<ShardParts, "shard" | "seed" | "dataSeed" | "samples" | "details">> {
  /** JSON text, because a structured clone would not preserve `ExactNumber` objects. */
  readonly plan: string;
  readonly network: NetworkOptions;
  /** Contents of the plan's files. Workers read no files themselves. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly env: ReadonlyMap<string, string | undefined>;
}

export type WorkerCommand =
  | { readonly kind: "prepare"; readonly job: WorkerJob }
  /**
   * Starts the run. `startsAt` is a `threadTime` (Unix milliseconds). `setup` contains the
   * variables that the `setup` flow has set, as JSON text, because a structured clone would not
   * preserve `ExactNumber` objects.
   */
  | { readonly kind: "start"; readonly startsAt: number; readonly setup: string }
  /** A scenario has ended in all threads. `at` is the time at which it ended (`threadTime`). */
  | { readonly kind: "ended everywhere"; readonly scenario: string; readonly at: number }
  | { readonly kind: "load"; readonly load: LoadState }
  | { readonly kind: "stop" }
  | { readonly kind: "kill" };

export type WorkerReport =
  /** The shard is compiled. `now` is the `threadTime`, to compare the time scales. */
  | { readonly kind: "ready"; readonly now: number }
  | { readonly kind: "second"; readonly second: TickReport }
  | { readonly kind: "ended"; readonly scenario: string }
  /** Confirms `kill`: the worker has canceled its iterations, so its thread is not blocked. */
  | { readonly kind: "killed" }
  | { readonly kind: "samples"; readonly batch: SampleBatch }
  | { readonly kind: "finished"; readonly result: RunResult }
  | { readonly kind: "failed"; readonly message: string };

/**
 * Calls `report` with the message of each uncaught error in this thread, such as an error that a
 * timer throws. Without this listener, Deno prints the error with a stack trace and unescaped text.
 */
export function onFault(report: (message: string) => void): void {
  self.addEventListener("error", (event) => {
    event.preventDefault();
    report(event.message);
  });
  self.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    report(String(event.reason));
  });
}

let runner: Runner | undefined;
let setLoad: (load: LoadState) => void = () => {};
const [stop, kill] = [new AbortController(), new AbortController()];
const setup: SetupValues = { current: {} };
/** Scenarios that have ended in this thread, but not yet in all. */
const ended = new Map<string, (at: number) => void>();
let release = (): void => {};

self.onmessage = async ({ data }: MessageEvent<WorkerCommand>) => {
  try {
    await handle(data);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
};
onFault(fail);

function fail(message: string): void {
  send({ kind: "failed", message });
  self.close();
}

async function handle(command: WorkerCommand): Promise<void> {
  switch (command.kind) {
    case "prepare":
      runner = await prepare(command.job);
      return send({ kind: "ready", now: threadTime() });
    case "start": {
      setup.current = parseExactJson(command.setup) as SetupValues["current"];
      const startsAt = command.startsAt - performance.timeOrigin;
      const result = await runner!.run(startsAt, {
        stop: stop.signal,
        kill: kill.signal,
        onSecond: (second) => send({ kind: "second", second }),
        onSamples: (batch) => send({ kind: "samples", batch }),
        onControl: (set) => setLoad = set,
      });
      send({ kind: "finished", result });
      release();
      return self.close();
    }
    case "ended everywhere":
      return ended.get(command.scenario)?.(command.at - performance.timeOrigin);
    case "load":
      return setLoad(command.load);
    case "stop":
      return stop.abort();
    case "kill":
      kill.abort();
      return send({ kind: "killed" });
  }
}

async function prepare(job: WorkerJob): Promise<Runner> {
  const plan = parseExactJson(job.plan) as Plan;
  const clock = await openClock(plan);
  const sender = networkSender(job.network);
  release = () => {
    sender.close();
    clock.close();
  };
  return new ShardRunner(plan, {
    ...job,
    setup,
    clock,
    sender,
    readFile: (path) => job.files.get(path)!,
    readEnv: (name) => job.env.get(name),
    endedEverywhere: (scenario) =>
      new Promise((resolve) => {
        ended.set(scenario, resolve);
        send({ kind: "ended", scenario });
      }),
  });
}

function send(report: WorkerReport): void {
  self.postMessage(report);
}
