import { count } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeText } from "../../base/safe_text.ts";
import { LoadControl } from "../../engine/kinds/load_control.ts";
import { parseThresholds, unevaluatedVerdict } from "../../engine/metrics/evaluate_thresholds.ts";
import { openOutputs } from "../../engine/outputs/open_outputs.ts";
import type { ExportIdentity, OutputReport, RunOutput } from "../../engine/outputs/outputs.ts";
import { type CommonOptions, type NetworkRunOptions, run } from "../../engine/run_plan.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { allowIncomplete } from "../../engine/summary/verdict.ts";
import { networkSender } from "../../http/network_session.ts";
import { formatShard } from "../../plan/partition.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { literalText } from "../../plan/text/template.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { openWatch, type Watch } from "../live/watch.ts";
import { type Io, readGrantedEnv } from "../system/io.ts";
import { listenForInterrupts } from "../system/signals.ts";
import { runEnvironment } from "./plan_to_run.ts";
import type { RunTask } from "./prepare_task.ts";
import type { RunGiven } from "./run_options.ts";
import { planNetwork } from "./targets.ts";
import { requestLabels, tracedSender } from "./traced_sender.ts";

/** A run that starts: its task, what it shows, and how to run its plan. */
interface Start {
  readonly task: RunTask;
  readonly given: RunGiven;
  readonly io: Io;
  readonly watch: Watch;
  readonly options: CommonOptions & NetworkRunOptions;
}

const STOPPING = "Stopping: waiting for running iterations (press Ctrl-C again to abort)";

/**
 * Runs the plan of a task and shows its progress on standard error. May throw UsageError,
 * InputError, OutputError or RunError.
 */
export async function runTask(task: RunTask, given: RunGiven, io: Io): Promise<Summary> {
  const { plan, origins, redact, announcement, readFile, readEnv, shard } = task;
  const isOnce = given.once !== undefined;
  const isFleet = given.fleet !== undefined;
  await using opened = new AsyncDisposableStack();
  let outputs: readonly RunOutput[] = [];
  let reports: Promise<OutputReport[]> | undefined;
  const closeOutputs = () => reports ??= Promise.all(outputs.map((output) => output.close()));
  // Printed last, when no dashboard covers the terminal.
  opened.defer(async () => printOutputs(await closeOutputs(), given, io));
  // The leader of a fleet sends no requests, and need not have the key of the client certificate.
  const network = planNetwork(isFleet ? { scenarios: {} } : plan, readFile);
  const load = new LoadControl(plan);
  let showNote = (_: string) => {};
  const signals = listenForInterrupts(io, () => showNote(STOPPING));
  const watched = {
    plan,
    announcement,
    origins: origins.map(redact),
    load: isFleet ? undefined : load,
    stop: () => signals.interrupt(),
  };
  const watch = await openWatch(watched, given, io);
  opened.defer(() => watch.close());
  showNote = watch.showNote;
  const watchdog = io.watchdog?.();
  opened.defer(() => watchdog?.release());
  if (plan.outputs !== undefined && !isOnce) {
    outputs = await openOutputs(plan.outputs, task.locateOutput, exportIdentity(task, given));
  }
  let workers = 1;
  const options: Start["options"] = {
    readFile,
    readEnv,
    shard,
    stop: signals.stop,
    kill: signals.kill,
    network,
    seed: given.seed,
    workers: given.workers,
    outputs,
    details: watch.showsDetails,
    control: load,
    onStart(endsMs, threads) {
      watchdog?.endBy(endsMs);
      workers = threads;
    },
    onTick: watch.update,
  };
  const start = { task, given, io, watch, options };
  const measured = isOnce
    ? await runOnce(start)
    : isFleet
    ? await runFleet(start)
    : await run(plan, options);
  const summary = completed(measured, workers, task, given, await closeOutputs());
  await watch.end(summary);
  return summary;
}

async function runOnce({ task, given, options, io }: Start): Promise<Summary> {
  const { plan, firstNumbers, redact } = task;
  const network = networkSender(options.network);
  let isShown = false;
  const show = (text: string) => {
    isShown = true;
    io.stdout.write(text);
  };
  const trace = { bodies: given.bodies, redact };
  const sender = tracedSender(network, requestLabels(plan, firstNumbers), show, trace);
  try {
    const measured = { ...plan, thresholds: undefined };
    const { network: _network, workers: _workers, ...rest } = options;
    return await run(measured, { ...rest, sender, observer: sender.observer });
  } finally {
    if (isShown) io.stdout.write("\n");
    network.close();
  }
}

async function runFleet({ task: { plan }, given, options, watch, io }: Start): Promise<Summary> {
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
  // Loaded only here, because most runs have no fleet.
  const { leadFleet } = await import("./open_fleet.ts");
  return await leadFleet(plan, { ...options, onTick }, given, show);
}

function completed(
  measured: Summary,
  workers: number,
  { plan, path, readEnv, redact }: RunTask,
  given: RunGiven,
  reports: readonly OutputReport[],
): Summary {
  const lossy = lossyOutputs(reports, (text) => redact(hidePasswords(text)));
  const summary = {
    ...(given.once === undefined ? measured : withoutVerdicts(measured, plan)),
    ...(lossy.length > 0 && { lossy_outputs: lossy }),
    environment: runEnvironment({ plan, path, args: given.args, readEnv, redact, workers }),
  };
  return given.allow ? allowIncomplete(summary) : summary;
}

function withoutVerdicts(summary: Summary, { thresholds = {} }: Plan): Summary {
  const { ending, endpoints } = summary;
  const once = { ...summary, thresholds: parseThresholds(thresholds).map(unevaluatedVerdict) };
  const isGood = endpoints.every(({ failed }) => failed === 0);
  if (summary.failure !== undefined || ending !== "finished" || isGood) return once;
  return { ...once, passed: false, failure: "a request failed" };
}

function lossyOutputs(reports: readonly OutputReport[], redact: Redactor): OutputReport[] {
  return reports.filter(({ dropped, error }) => dropped > 0 || error !== undefined)
    .map(({ name, error, ...counts }) => ({
      ...counts,
      name: redact(name),
      ...(error !== undefined && { error: redact(error) }),
    }));
}

function exportIdentity(
  { plan: { defaults }, shard }: RunTask,
  { runId, instance, fleet }: RunGiven,
): ExportIdentity {
  // Tags with expressions differ between samples.
  const tags = Object.entries(defaults?.tags ?? {})
    .map(([name, value]) => [name, String(value)] as const)
    .filter(([, value]) => literalText(value) !== undefined);
  return {
    labels: [
      ["run_id", runId ?? fleet?.split("/").at(-1) ?? crypto.randomUUID().slice(0, 8)],
      ...(shard === undefined ? [] : [["shard", formatShard(shard)] as const]),
      ...tags,
    ],
    instance: instance ?? readGrantedEnv("HOSTNAME"),
  };
}

function printOutputs(reports: readonly OutputReport[], { quiet }: RunGiven, io: Io): void {
  if (quiet) return;
  for (const { name, written, dropped, error } of reports) {
    const lost = dropped > 0 ? `, ${count(dropped)} dropped` : "";
    const why = error === undefined ? "" : `: ${error}`;
    const line = hidePasswords(`output ${name}: ${count(written)} written${lost}${why}`);
    io.stderr.write(safeText(line) + "\n");
  }
}
