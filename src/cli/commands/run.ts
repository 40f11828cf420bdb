import { safeText } from "../../base/safe_text.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { filesRead, filesWritten } from "../../plan/request_texts.ts";
import { formatShard, type Shard } from "../../plan/partition.ts";
import { printPlan } from "../../plan/print.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { githubAnnotations } from "../../report/ci/github.ts";
import type { Command } from "../command/command.ts";
import { EXIT, verdictCode } from "../command/exit_codes.ts";
import { command } from "../command/options.ts";
import { dropWriteAccess } from "../command/permissions.ts";
import { refuseSampleOutputs } from "../fleet/lead_fleet.ts";
import { fileReader, pathResolver } from "../input/read_plan.ts";
import { openReportFiles, printSummary } from "../output/report_files.ts";
import { confirmRecorded } from "../run/confirm_recorded.ts";
import { printNextRun } from "../run/next_run.ts";
import { describeOutputs, outputLocator } from "../run/run_outputs.ts";
import { describeTargets, planToRun, preflight } from "../run/plan_to_run.ts";
import { locateUnixSockets, usesUnixSockets } from "../run/run_environment.ts";
import { checkVus, describeLoad, openFilesNote, totalVus } from "../run/planned_load.ts";
import { runPlan, shardOf } from "../run/run_and_report.ts";
import { planRedactor } from "../../engine/flow/constants.ts";
import { RUN_OPTIONS, type RunGiven } from "../run/run_options.ts";
import { type Io, readGrantedEnv } from "../system/io.ts";
import { appendStepSummary, runMarkdown, stepSummaryPath } from "../output/step_summary.ts";

/** The `rehearse run` command. */
export const runCommand: Command = command({
  name: "run",
  usage: "PLAN|URL [OPTIONS]",
  takes: "files",
  expects: { what: "one plan (- for standard input) or URL to run" },
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
  examples: [
    {
      command: "rehearse run plan.yaml --base-url http://127.0.0.1:8080 --once --bodies",
      does: "Run each flow once and print every request and response.",
    },
    {
      command: "rehearse run plan.yaml --base-url http://127.0.0.1:8080 --duration 30s",
      does: "Run the plan for half a minute.",
    },
    {
      command: "rehearse run http://127.0.0.1:8080/ --vus 10 --duration 10s",
      does: "Load one URL without a plan.",
    },
    {
      command: "rehearse run plan.yaml -e staging --rate-scale 0.5 --summary-export summary.json",
      does: "Run at half the rate against another environment and save the summary.",
    },
    {
      command: "rehearse run plan.yaml --ui --html report.html",
      does: "Watch the run live at http://127.0.0.1:6070/ and save a report.",
    },
    {
      command: "rehearse run plan.yaml --shard 1/3 --summary-export 1.json",
      does: "Run the first third of the load; two other machines run 2/3 and 3/3.",
    },
    {
      command: "rehearse run plan.yaml --fleet nats://bus.example:4222/checkout --shards 20",
      does: "Lead a run of 20 `rehearse join` processes on other machines.",
    },
  ],
  run: runRun,
});

async function runRun(given: RunGiven, io: Io): Promise<number> {
  const [path] = given.args.positionals;
  const once = given.once !== undefined;
  const read = await planToRun(path, given, io);
  if (read === undefined) return 1;
  const { firstNumbers } = read;
  const isFleet = given.fleet !== undefined;
  const resolve = pathResolver(path);
  // The machines of a fleet have their own sockets.
  const plan = isFleet ? read.plan : locateUnixSockets(read.plan, resolve);
  // The machines of a fleet have the variables; the leader needs none.
  const readEnv = isFleet ? readGrantedEnv : (name: string) => Deno.env.get(name);
  if (isFleet) refuseSampleOutputs(plan);
  const isLocal = !isFleet && given.shard === undefined;
  const vus = totalVus(plan);
  if (isLocal) checkVus(vus);
  const readFile = fileReader(path);
  const redact = planRedactor(plan, { readFile, readEnv });
  const where = isFleet
    ? describeTargets(plan, path, readEnv)
    : await preflight(plan, path, readEnv, redact);
  const warning = confirmRecorded(plan, where, shardOf(given, readEnv), given, io);
  const isGithub = given.format === "github";
  const step = isGithub ? stepSummaryPath({ required: false }) : undefined;
  const reports = { summary: given.summaryExport, html: given.html, junit: given.junit };
  const writes = Object.values(reports).some((path) => path !== undefined) ||
    filesWritten(plan).length > 0 && !once || usesUnixSockets(plan) || step !== undefined;
  if (!writes) dropWriteAccess();
  const locateOutput = outputLocator(plan, path, given.allowOutput);
  const used = [...filesRead(plan), ...filesWritten(plan)].map(resolve);
  const files = openReportFiles(reports, [path, ...used], io);
  const outputs = once ? [] : describeOutputs(plan.outputs ?? [], resolve);
  try {
    const announce = (shard: Shard | undefined) => {
      if (given.quiet) return;
      const load = once ? [] : [describeLoad(plan, shard)];
      const lines = [redact(where.text), ...load, ...outputs.map(safeText)].map((line) =>
        line + "\n"
      ).join(
        "",
      );
      io.stderr.write(
        lines + warning + (isLocal ? openFilesNote(vus) : "") + shardNote(plan, given, shard),
      );
    };
    const inputs = { path, readFile, readEnv, locateOutput, redact, firstNumbers };
    const summary = await runPlan(plan, inputs, given, io, announce);
    await files.write(summary, () => redact(printPlan(plan, [])));
    printSummary(summary, { noColor: given.noColor, brief: once }, io);
    if (isGithub) io.stdout.write(githubAnnotations(summary, redact(path)));
    if (step !== undefined) appendStepSummary(step, runMarkdown(summary, once));
    if (!given.quiet && summary.ending !== "interrupted") {
      printNextRun({ summary, path, origins: where.origins, redact }, given, io);
    }
    return exitCode(summary);
  } finally {
    files.discard();
  }
}

/**
 * Returns a warning that a run of `shard` does not evaluate the plan's thresholds. Returns an
 * empty string if the run covers the whole plan or if the plan has no thresholds.
 */
function shardNote(
  { thresholds }: Plan,
  { summaryExport }: RunGiven,
  shard: Shard | undefined,
): string {
  if (shard === undefined || shard.of === 1 || thresholds === undefined) return "";
  const lost = summaryExport !== undefined
    ? ""
    : " Add `--summary-export FILE`: without a summary to merge, the thresholds are never evaluated.";
  return `shard ${
    formatShard(shard)
  }: thresholds are not evaluated, and \`abort_on_fail\` has no ` +
    `effect. \`rehearse merge\` evaluates the thresholds over all shards.${lost}\n`;
}

function exitCode(summary: Summary): number {
  return summary.ending === "interrupted" ? EXIT.INTERRUPTED : verdictCode(summary);
}
