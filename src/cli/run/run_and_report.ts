import { UsageError } from "../../base/errors.ts";
import { count } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import { openOutputs } from "../../engine/kinds/outputs/outputs.ts";
import type { OutputReport, RunOutput } from "../../engine/outputs/run_output.ts";
import { run } from "../../engine/run_plan.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { type CoresOptions, runOnCores } from "../../engine/workers/run_on_cores.ts";
import { networkOptions } from "../../http/network_options.ts";
import { networkSender } from "../../http/network_sender.ts";
import { parseShard, type Shard } from "../../plan/partition.ts";
import { mayBlock } from "../../plan/may_block.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { parseWholeNumber } from "../command/args.ts";
import type { Args } from "../command/command.ts";
import { openWatch } from "../live/watch.ts";
import type { Io } from "../system/io.ts";
import { runEnvironment } from "./run_environment.ts";
import { type Trace, tracedSender } from "./traced_sender.ts";

/**
 * Access of a run to files and environment variables, and the redactor for the text that it prints.
 */
export interface RunInputs {
  /** Path of the plan as given. */
  readonly path: string;
  readonly readFile: (path: string) => Uint8Array;
  readonly readEnv: (name: string) => string | undefined;
  /**
   * Converts a path in the plan's `outputs` to an absolute path. Throws OutputError if the plan may
   * not write the file.
   */
  readonly locateOutput: (path: string) => string;
  /** Hides the plan's secrets in a string. */
  readonly redact: Redactor;
}

/**
 * Runs the plan over the network and shows its progress on standard error. May throw UsageError,
 * InputError, OutputError or RunError.
 */
export async function runPlan(
  plan: Plan,
  { path, redact, ...world }: RunInputs,
  args: Args,
  io: Io,
): Promise<Summary> {
  const readText = (path: string) => new TextDecoder().decode(world.readFile(path));
  const network = networkOptions(plan.defaults?.http ?? {}, readText);
  const numbers: Pick<CoresOptions, "seed" | "workers" | "shard"> = {
    seed: parseWholeNumber(args, "seed"),
    workers: parseWholeNumber(args, "workers", 1, 4 * navigator.hardwareConcurrency),
    shard: parseShardOption(args),
  };
  const watch = await openWatch(plan, args, io);
  const { stop, kill, release } = listenForInterrupts(
    io,
    () =>
      watch.showNote(
        "Stopping: waiting for running iterations (press Ctrl-C again to abort)",
      ),
  );
  // Not for other plans, because the thread takes 45 ms of CPU time to start.
  const watchdog = mayBlock(plan) ? io.watchdog?.() : undefined;
  let outputs: readonly RunOutput[] = [];
  try {
    outputs = await openOutputs(args.has("once") ? [] : plan.outputs ?? [], world.locateOutput);
    const options: CoresOptions = {
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
      ? await runTraced(plan, options, { bodies: args.has("bodies"), redact }, io)
      : await runOnCores(plan, options);
    const errors = summary.errors.map((e) => ({ ...e, message: redact(e.message) }));
    const evaluated = args.has("once") ? evaluateOnce(summary) : summary;
    const environment = runEnvironment(plan, path, args, world.readEnv, redact);
    const report = { ...evaluated, errors, environment };
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

/** Formats the numbers of samples that an output has written and dropped as one line. */
function outputLine({ name, written, dropped, error }: OutputReport): string {
  const lost = dropped > 0 ? `, ${count(dropped)} dropped` : "";
  const why = error === undefined ? "" : `: ${error}`;
  return safeText(`output ${name}: ${count(written)} written${lost}${why}`) + "\n";
}

/** Returns the summary of a run with `--once`, marked as failed if a request failed. */
function evaluateOnce(summary: Summary): Summary {
  const { ending, endpoints } = summary;
  const isGood = endpoints.every(({ failed }) => failed === 0);
  if (summary.failure !== undefined || ending !== "finished" || isGood) return summary;
  return { ...summary, passed: false, failure: "a request failed" };
}

async function runTraced(
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

function parseShardOption(args: Args): Shard | undefined {
  const given = args.text("shard");
  const shard = given === undefined ? undefined : parseShard(given);
  if (given === undefined || shard) return shard;
  throw new UsageError(
    `--shard cannot be ${safeSnippet(given)}: expected I/N, such as 1/3 for the first of three`,
  );
}

/** Abort signals of a run. The first Ctrl-C stops the run gracefully, the second one aborts it. */
interface StopSignals {
  /** Aborted at the first Ctrl-C: no further iteration may start. */
  readonly stop: AbortSignal;
  /** Aborted at the second Ctrl-C: running iterations must be canceled. */
  readonly kill: AbortSignal;
  /** Stops listening for Ctrl-C. Afterwards, Ctrl-C ends the process. */
  release(): void;
}

/** Listens for Ctrl-C. Calls `onStop` at the first one, before `stop` is aborted. */
function listenForInterrupts(io: Io, onStop: () => void): StopSignals {
  const stop = new AbortController();
  const kill = new AbortController();
  const release = io.interrupts(() => {
    if (stop.signal.aborted) return kill.abort();
    onStop();
    stop.abort();
  });
  return { stop: stop.signal, kill: kill.signal, release };
}
