/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { parseExactJson } from "../../base/exact_json.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { networkSender } from "../http/network_sender.ts";
import type { Runner } from "../runner.ts";
import { clockFor } from "../real_clock.ts";
import { shardRunner } from "../shard_runner.ts";
import { threadTime } from "../thread_time.ts";
import type { WorkerCommand, WorkerJob, WorkerReport } from "./messages.ts";
import { onFault } from "./on_fault.ts";

// A thread that plays one share of a plan.
let player: Runner | undefined;
let release = (): void => {};

self.onmessage = async ({ data }: MessageEvent<WorkerCommand>) => {
  try {
    await obey(data);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
};
onFault(fail);

function fail(message: string): void {
  tell({ kind: "failed", message });
  self.close();
}

async function obey(order: WorkerCommand): Promise<void> {
  switch (order.kind) {
    case "prepare":
      player = await prepare(order.job);
      return tell({ kind: "ready", now: threadTime() });
    case "start": {
      const startsAt = order.startsAt - performance.timeOrigin;
      const played = await player!.play(
        startsAt,
        (second) => tell({ kind: "second", second }),
        (batch) => tell({ kind: "samples", batch }),
      );
      tell({ kind: "played", played });
      release();
      return self.close();
    }
    case "stop":
      return player?.stop();
    case "kill":
      player?.kill();
      return tell({ kind: "killed" });
  }
}

async function prepare(job: WorkerJob): Promise<Runner> {
  const plan = parseExactJson(job.plan) as Plan;
  const clock = await clockFor(plan);
  const sender = networkSender(job.network);
  release = () => {
    sender.close();
    clock.close();
  };
  return shardRunner(plan, {
    ...job,
    clock,
    sender,
    readFile: (path) => job.files.get(path)!,
    readEnv: (name) => job.env.get(name),
  });
}

function tell(report: WorkerReport): void {
  self.postMessage(report);
}
