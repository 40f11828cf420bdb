import { UsageError } from "../../base/errors.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import { networkOptions } from "../../engine/http/network_options.ts";
import { networkSender } from "../../engine/http/network_sender.ts";
import { run } from "../../engine/run.ts";
import type { Sender } from "../../engine/sender.ts";
import type { ErrorFigures, Summary } from "../../engine/summary.ts";
import { parseShare, type Share } from "../../plan/partition.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Args } from "../command.ts";
import type { Io } from "../io.ts";
import { liveLine } from "../live_line.ts";
import { wholeNumber } from "../number_flag.ts";
import { redactor } from "./redactor.ts";
import { stopping } from "./stopping.ts";
import { tracedSender } from "./traced_sender.ts";

/** What a plan may read of the world. */
export interface PlanWorld {
  readonly readFile: (path: string) => Uint8Array;
  readonly readEnv: (name: string) => string | undefined;
}

/** Plays the plan over the network, showing on standard error how it goes until it has ended. */
export async function play(plan: Plan, world: PlanWorld, args: Args, io: Io): Promise<Summary> {
  const redact = redactor(plan, world.readFile, world.readEnv);
  const silent = args.has("quiet") || args.has("once");
  const line = liveLine(io.stderr);
  const { stop, kill, release } = stopping(io, () => {
    line.clear();
    io.stderr.write("stopping: what is in flight may end; Ctrl-C again cuts it off\n");
  });
  const sender = networkSender(
    networkOptions(
      plan.defaults?.http ?? {},
      (path) => new TextDecoder().decode(world.readFile(path)),
    ),
  );
  try {
    const summary = await run(plan, {
      ...world,
      sender: args.has("once") ? traced(sender) : sender,
      seed: wholeNumber(args, "seed"),
      share: shareFrom(args),
      stop,
      kill,
      onTick: silent ? undefined : line.update,
    });
    return { ...summary, errors: summary.errors.map(withoutSecrets) };
  } finally {
    sender.close();
    release();
    line.clear();
  }

  function traced(sender: Sender): Sender {
    const trace = { bodies: args.has("bodies"), redact };
    return tracedSender(sender, (text) => io.stdout.write(text), trace);
  }

  function withoutSecrets(error: ErrorFigures): ErrorFigures {
    return { ...error, message: redact(error.message) };
  }
}

function shareFrom(args: Args): Share | undefined {
  const given = args.text("shard");
  const share = given === undefined ? undefined : parseShare(given);
  if (given === undefined || share) return share;
  throw new UsageError(
    `--shard cannot be ${safeSnippet(given)}: write I/N, such as 1/3 for the first of three`,
  );
}
