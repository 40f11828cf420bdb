import { UsageError } from "../../base/errors.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import { networkOptions } from "../../engine/http/network_options.ts";
import { networkSender } from "../../engine/http/network_sender.ts";
import { openOutputs } from "../../engine/outputs/open_outputs.ts";
import type { OutputReport, RunOutput } from "../../engine/outputs/run_output.ts";
import { run } from "../../engine/run_plan.ts";
import type { RunEnvironment, Summary } from "../../engine/summary.ts";
import { type CoresOptions, runOnCores } from "../../engine/workers/run_on_cores.ts";
import { parseShard, type Shard } from "../../plan/partition.ts";
import { count } from "../../report/text/units.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Args } from "../command.ts";
import type { Io } from "../io.ts";
import { openWatch } from "../live/watch.ts";
import { parseWholeNumber } from "../number_flag.ts";
import type { Trace } from "./exchange_text.ts";
import { redactor } from "./plan_redactor.ts";
import { stopping } from "./stopping.ts";
import { tracedSender } from "./traced_sender.ts";

/** What a plan may read of the world. */
export interface RunInputs {
  readonly readFile: (path: string) => Uint8Array;
  readonly readEnv: (name: string) => string | undefined;
  /** Locates a file of the plan's outputs. Throws OutputError for one that must not be written. */
  readonly locateOutput: (path: string) => string;
}

/**
 * Runs the plan over the network with its progress on standard error. `environment` is what the summary
 * says the run was started with.
 */
export async function runPlan(
  plan: Plan,
  world: RunInputs,
  args: Args,
  io: Io,
  environment: (redact: Redactor) => RunEnvironment,
): Promise<Summary> {
  const redact = redactor(plan, world.readFile, world.readEnv);
  const readText = (path: string) => new TextDecoder().decode(world.readFile(path));
  const network = networkOptions(plan.defaults?.http ?? {}, readText);
  const numbers = {
    seed: parseWholeNumber(args, "seed"),
    workers: parseWholeNumber(args, "workers", 1, 4 * navigator.hardwareConcurrency),
    share: shareFrom(args),
  };
  const watch = await openWatch(plan, args, io);
  const { stop, kill, release } = stopping(
    io,
    () => watch.say("stopping: what is in flight may end; Ctrl-C again cuts it off"),
  );
  const watchdog = io.watchdog?.();
  let outputs: readonly RunOutput[] = [];
  try {
    outputs = await openOutputs(args.has("once") ? [] : plan.outputs ?? [], world.locateOutput);
    const options = {
      ...world,
      ...numbers,
      network,
      stop,
      kill,
      outputs,
      onStart: (endsMs: number) => watchdog?.endBy(endsMs),
      onTick: watch.update,
    };
    const summary = args.has("once")
      ? await playTraced(plan, options, { bodies: args.has("bodies"), redact }, io)
      : await runOnCores(plan, options);
    const errors = summary.errors.map((e) => ({ ...e, message: redact(e.message) }));
    const judged = args.has("once") ? judgeOnce(summary) : summary;
    const report = { ...judged, errors, environment: environment(redact) };
    await watch.end(report);
    return report;
  } finally {
    watchdog?.release();
    release();
    await watch.close();
    const reports = await Promise.all(outputs.map((output) => output.close()));
    if (!args.has("quiet")) io.stderr.write(reports.map(outputLine).join(""));
  }
}

/** What came of an output, as a line. */
function outputLine({ name, written, dropped, error }: OutputReport): string {
  const lost = dropped > 0 ? `, ${count(dropped)} dropped` : "";
  const why = error === undefined ? "" : `: ${error}`;
  return safeText(`output ${name}: ${count(written)} written${lost}${why}`) + "\n";
}

/** In a look at single requests, one that failed fails the run. */
function judgeOnce(summary: Summary): Summary {
  const { ending, endpoints } = summary;
  const isGood = endpoints.every(({ failed }) => failed === 0);
  if (summary.failure !== undefined || ending !== "finished" || isGood) return summary;
  return { ...summary, passed: false, failure: "a request failed" };
}

async function playTraced(
  plan: Plan,
  options: CoresOptions,
  trace: Trace,
  io: Io,
): Promise<Summary> {
  const sender = networkSender(options.network);
  try {
    const show = (text: string) => io.stdout.write(text);
    return await run(plan, { ...options, sender: tracedSender(sender, show, trace) });
  } finally {
    sender.close();
  }
}

function shareFrom(args: Args): Shard | undefined {
  const given = args.text("shard");
  const share = given === undefined ? undefined : parseShard(given);
  if (given === undefined || share) return share;
  throw new UsageError(
    `--shard cannot be ${safeSnippet(given)}: write I/N, such as 1/3 for the first of three`,
  );
}
