import { count } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeText } from "../../base/safe_text.ts";
import { LoadControl } from "../../engine/kinds/load_control.ts";
import { parseThresholds, unevaluatedVerdict } from "../../engine/metrics/summarize.ts";
import { openOutputs } from "../../engine/outputs/open_outputs.ts";
import type { ExportIdentity, OutputReport, RunOutput } from "../../engine/outputs/outputs.ts";
import { type CommonOptions, type NetworkRunOptions, run } from "../../engine/run_plan.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { allowIncomplete } from "../../engine/summary/verdict.ts";
import { networkSender } from "../../http/network_session.ts";
import { formatShard } from "../../plan/partition.ts";
import { printPlan } from "../../plan/print.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { literalText } from "../../plan/text/template.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { githubAnnotations, PAGE_WIDTH, preformatted } from "../../report/ci.ts";
import { renderSummary } from "../../report/text/render_summary.ts";
import { type Command, EXIT, verdictCode } from "../command/command.ts";
import { command } from "../command/options.ts";
import { openWatch, type Watch } from "../live/watch.ts";
import { checkAddress, commandLine, isNamed, printNext } from "../output/messages.ts";
import { appendStepSummary, openReportFiles, printSummary } from "../output/output_file.ts";
import { planOrUrl, planToRun, runEnvironment } from "../run/plan_to_run.ts";
import { prepareTask, type RunTask } from "../run/prepare_task.ts";
import { RUN_OPTIONS, type RunGiven } from "../run/run_options.ts";
import { planNetwork } from "../run/targets.ts";
import { requestLabels, tracedSender } from "../run/traced_sender.ts";
import { type Io, readGrantedEnv } from "../system/io.ts";
import { listenForInterrupts } from "../system/signals.ts";

export const runCommand: Command = command({
  name: "run",
  usage: "PLAN|URL [OPTIONS]",
  takes: "files",
  expects: { what: "one plan (- for standard input) or URL to run" },
  kindOf: planOrUrl,
  about: [
    "Runs the scenarios of a plan (`-` is standard input). It prints the targets before the start, " +
    "shows progress during the run, and ends with a summary of thresholds, checks, timings, the " +
    "slowest endpoints and errors.",
    "Given the URL of a target instead of a plan, `run` sends GET requests to it: 10 VUs for 10 " +
    "seconds, unless you set --vus, --duration, --iterations or --rate.",
    "Ctrl-C stops the run gracefully and still prints the summary. A second Ctrl-C aborts running " +
    "iterations.",
    "With --fleet, `run` does not generate load. It gives the plan to N `rehearse join` processes (--shards " +
    "N), starts them together, and merges their reports every second.",
    "A run of one shard (--shard I/N) does not evaluate thresholds. `rehearse merge` evaluates them " +
    "over all shards.",
    "Exit codes: 0 the run finished and no threshold failed; 1 the plan or a file is invalid, no " +
    "request got a response, a request failed (with --once), or shards were lost (with --fleet); 2 the command line is invalid; 4 the " +
    "run did less than planned; 99 a threshold failed or an assertion ended the run; 130 the run was interrupted.",
  ],
  options: RUN_OPTIONS,
  needs: ["net", "env"],
  inputsNameOutputs: true,
  examples: {
    "rehearse run plan.yaml --base-url http://127.0.0.1:8080 --once --bodies":
      "Run each flow once and print every request and response.",
    "rehearse run plan.yaml --base-url http://127.0.0.1:8080 --duration 30s":
      "Run the plan for half a minute.",
    "rehearse run http://127.0.0.1:8080/ --vus 10 --duration 10s": "Load one URL without a plan.",
    "rehearse run plan.yaml --ui --html report.html":
      "Watch the run live at http://127.0.0.1:6070/ and save a report.",
  },
  async run(given, io) {
    const [path] = given.args.positionals;
    const read = await planToRun(path, given, io);
    if (read === undefined) return EXIT.FAILED;
    const task = await prepareTask(read, path, given, io);
    using files = openReportFiles(task.reports, task.files, io);
    const summary = await runTask(task, given, io);
    await files.write(summary, () => task.redact(printPlan(task.plan, [])));
    printReports(summary, task, given, io);
    return summary.ending === "interrupted" ? EXIT.INTERRUPTED : verdictCode(summary);
  },
});

function printReports(summary: Summary, task: RunTask, given: RunGiven, io: Io): void {
  const brief = given.once !== undefined;
  const { path, stepSummary, redact } = task;
  printSummary(summary, { noColor: given.noColor, brief }, io);
  if (given.format === "github") io.stdout.write(githubAnnotations(summary, redact(path)));
  if (stepSummary !== undefined) {
    const text = renderSummary(summary, { color: false, width: PAGE_WIDTH, brief });
    appendStepSummary(stepSummary, preformatted(text));
  }
  const next = summary.ending === "interrupted" ? undefined : nextStep(summary, task, given);
  if (next !== undefined) printNext(next, given.args, io);
}

function nextStep(summary: Summary, task: RunTask, given: RunGiven): string | undefined {
  const { html, summaryExport: exported, shard, once, bodies } = given;
  if (summary.failure === "no request got a response") {
    const errors = summary.errors.filter(({ kind }) => kind !== "template");
    const origins = task.origins.map((origin) => task.redact(origin));
    return checkAddress(origins, errors.map(({ message }) => message));
  }
  if (isNamed(html)) return `open ${html} in a browser`;
  if (shard !== undefined) return undefined;
  if (isNamed(exported)) return commandLine("report", exported, "-o", "report.html");
  return summary.failure !== undefined && once !== undefined && !bodies
    ? "add `--bodies` to print the bodies too"
    : "add `--html report.html` for a report with charts";
}

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
async function runTask(task: RunTask, given: RunGiven, io: Io): Promise<Summary> {
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
  watch.end(summary);
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
  const { leadFleet } = await import("../run/open_fleet.ts");
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
