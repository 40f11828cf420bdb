/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { parseExactJson } from "../../base/exact_json.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { networkSender } from "../../http/network_sender.ts";
import type { SetupValues } from "../flow/scope.ts";
import type { Runner } from "../runner.ts";
import { preciseClock, realClock } from "../clock/real_clock.ts";
import { ShardRunner } from "../shard_runner.ts";
import { threadTime } from "../clock/threads.ts";
import type { WorkerCommand, WorkerJob, WorkerReport } from "./messages.ts";
import { onFault } from "./on_fault.ts";

// Entry point of a worker thread, which runs one shard of a plan.
let runner: Runner | undefined;
const setup: SetupValues = { current: {} };
/**
 * Scenarios that have ended in this thread, each with the function to call when the scenario has
 * ended in all threads.
 */
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
      const result = await runner!.run(
        startsAt,
        (second) => send({ kind: "second", second }),
        (batch) => send({ kind: "samples", batch }),
      );
      send({ kind: "finished", result });
      release();
      return self.close();
    }
    case "ended everywhere":
      return ended.get(command.scenario)?.(command.at - performance.timeOrigin);
    case "load":
      return runner?.setLoad?.(command.load);
    case "stop":
      return runner?.stop();
    case "kill":
      runner?.kill();
      return send({ kind: "killed" });
  }
}

async function prepare(job: WorkerJob): Promise<Runner> {
  const plan = parseExactJson(job.plan) as Plan;
  const clock = job.preciseClock ? await preciseClock() : realClock();
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
