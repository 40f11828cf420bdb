import { count } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeText } from "../../base/safe_text.ts";
import type { OutputReport, RunOutput } from "../../engine/outputs/open_output.ts";
import { LoadControl } from "../../engine/load/load_control.ts";
import { parseThresholds, unevaluatedVerdict } from "../../engine/metrics/evaluate_thresholds.ts";
import { run } from "../../engine/run_plan.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { allowIncomplete } from "../../engine/summary/verdict.ts";
import { type CoresOptions, runOnCores } from "../../engine/workers/run_on_cores.ts";
import { networkOptions } from "../../http/network_options.ts";
import { networkSender } from "../../http/network_sender.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { targets } from "../../plan/targets.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { leadFleet } from "../fleet/open_fleet.ts";
import type { RunControl } from "../live/run_control.ts";
import { openWatch, type Watch } from "../live/watch.ts";
import { type Io, listenForInterrupts, readGrantedEnv } from "../system/io.ts";
import { openRunOutputs } from "./run_outputs.ts";
import { unansweredWarning } from "./next_run.ts";
import { runEnvironment } from "./run_environment.ts";
import type { RunGiven } from "./run_options.ts";
import type { RunTask } from "./run_task.ts";
import { requestLabels, type Trace, tracedSender } from "./traced_sender.ts";

/**
 * Runs the plan over the network and shows its progress on standard error. May throw UsageError,
 * InputError, OutputError or RunError.
 */
export async function runPlan(task: RunTask, given: RunGiven, io: Io): Promise<Summary> {
  const { plan, path, redact, readFile, readEnv, shard } = task;
  const readText = (path: string) => new TextDecoder().decode(readFile(path));
  const { http = {} } = plan.defaults ?? {};
  // The leader of a fleet sends no requests, and need not have the key of the client certificate.
  const network = networkOptions(given.fleet === undefined ? http : {}, readText, readGrantedEnv);
  const load = new LoadControl(plan);
  const control: RunControl = {
    get load() {
      return load.state;
    },
    act(action) {
      if (action.action !== "stop") return load.apply(action);
      interrupt();
      return undefined;
    },
  };
  const views = await openWatch(
    plan,
    given,
    io,
    given.fleet === undefined ? control : undefined,
    () => io.stderr.write(task.announcement),
  );
  const warningOf = unansweredWarning(() => targets(plan, readEnv).origins.map(redact));
  const watch: Watch = {
    ...views,
    update(progress) {
      views.update(progress);
      const warning = given.once === undefined ? warningOf(progress) : undefined;
      if (warning !== undefined) watch.showNote(warning);
    },
  };
  const { stop, kill, interrupt, release } = listenForInterrupts(
    io,
    () =>
      watch.showNote(
        "Stopping: waiting for running iterations (press Ctrl-C again to abort)",
      ),
  );
  const watchdog = io.watchdog?.();
  let outputs: readonly RunOutput[] = [];
  let closed: Promise<OutputReport[]> | undefined;
  const closeOutputs = () => closed ??= Promise.all(outputs.map((output) => output.close()));
  try {
    if (given.once === undefined) {
      outputs = await openRunOutputs(plan, task.locateOutput, given, shard);
    }
    const options: CoresOptions = {
      readFile,
      readEnv,
      seed: given.seed,
      workers: given.workers,
      shard,
      network,
      stop,
      kill,
      outputs,
      onStart: (endsMs: number) => watchdog?.endBy(endsMs),
      details: watch.showsDetails,
      onTick: watch.update,
      control: load,
    };
    const summary = given.once !== undefined
      ? await runTraced(task, options, { bodies: given.bodies, redact }, io)
      : given.fleet !== undefined
      ? await runFleet(plan, options, given, watch, io)
      : await runOnCores(plan, options);
    const evaluated = given.once === undefined ? summary : evaluateOnce(summary, plan);
    const environment = runEnvironment(plan, path, given.args, readEnv, redact);
    const lossy = lossyOutputs(await closeOutputs(), (text) => redact(hidePasswords(text)));
    const full = {
      ...evaluated,
      ...(lossy.length > 0 && { lossy_outputs: lossy }),
      environment,
    };
    const report = given.allow ? allowIncomplete(full) : full;
    await watch.end(report);
    return report;
  } finally {
    watchdog?.release();
    release();
    await watch.close();
    const reports = await closeOutputs();
    if (!given.quiet) io.stderr.write(reports.map(outputLine).join(""));
  }
}

/** Returns the reports of the outputs that lost data or failed, without secrets. */
function lossyOutputs(reports: readonly OutputReport[], redact: Redactor): OutputReport[] {
  return reports.filter(({ dropped, error }) => dropped > 0 || error !== undefined)
    .map(({ name, error, ...counts }) => ({
      ...counts,
      name: redact(name),
      ...(error !== undefined && { error: redact(error) }),
    }));
}

/**
 * Formats the report of an output as one line: how many items it wrote, how many it dropped, and
 * its first error.
 */
function outputLine({ name, written, dropped, error }: OutputReport): string {
  const lost = dropped > 0 ? `, ${count(dropped)} dropped` : "";
  const why = error === undefined ? "" : `: ${error}`;
  const line = hidePasswords(`output ${name}: ${count(written)} written${lost}${why}`);
  return safeText(line) + "\n";
}

/**
 * Returns the summary of a run with `--once`, marked as failed if a request failed. The thresholds
 * of the plan are not evaluated, because they apply to the whole load.
 */
function evaluateOnce(summary: Summary, { thresholds = {} }: Plan): Summary {
  const { ending, endpoints } = summary;
  const once = { ...summary, thresholds: parseThresholds(thresholds).map(unevaluatedVerdict) };
  const isGood = endpoints.every(({ failed }) => failed === 0);
  if (summary.failure !== undefined || ending !== "finished" || isGood) return once;
  return { ...once, passed: false, failure: "a request failed" };
}

async function runTraced(
  { plan, firstNumbers }: RunTask,
  options: CoresOptions,
  trace: Trace,
  io: Io,
): Promise<Summary> {
  const network = networkSender(options.network);
  let isShown = false;
  const show = (text: string) => {
    isShown = true;
    io.stdout.write(text);
  };
  const sender = tracedSender(network, requestLabels(plan, firstNumbers), show, trace);
  try {
    const measured = { ...plan, thresholds: undefined };
    return await run(measured, { ...options, sender, observer: sender.observer });
  } finally {
    if (isShown) io.stdout.write("\n");
    network.close();
  }
}

/** Leads a fleet that runs the plan. */
async function runFleet(
  plan: Plan,
  options: CoresOptions,
  given: RunGiven,
  watch: Watch,
  io: Io,
): Promise<Summary> {
  let isStarted = false;
  const show = (text: string) => {
    if (given.quiet) return;
    if (isStarted) watch.showNote(text);
    else io.stderr.write(text + "\n");
  };
  const onTick: typeof watch.update = (progress) => {
    isStarted = true;
    watch.update(progress);
  };
  return await leadFleet(plan, { ...options, onTick }, given, show);
}
