/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { parseExactJson } from "../../base/exact_json.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { networkSender } from "../http/network_sender.ts";
import type { Player } from "../player.ts";
import { clockFor } from "../real_clock.ts";
import { sharePlayer } from "../share_player.ts";
import { threadTime } from "../thread_time.ts";
import type { Job, Order, Report } from "./messages.ts";
import { onFault } from "./on_fault.ts";

// A thread that plays one share of a plan.
let player: Player | undefined;
let release = (): void => {};

self.onmessage = async ({ data }: MessageEvent<Order>) => {
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

async function obey(order: Order): Promise<void> {
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

async function prepare(job: Job): Promise<Player> {
  const plan = parseExactJson(job.plan) as Plan;
  const clock = await clockFor(plan);
  const sender = networkSender(job.network);
  release = () => {
    sender.close();
    clock.close();
  };
  return sharePlayer(plan, {
    ...job,
    clock,
    sender,
    readFile: (path) => job.files.get(path)!,
    readEnv: (name) => job.env.get(name),
  });
}

function tell(report: Report): void {
  self.postMessage(report);
}
