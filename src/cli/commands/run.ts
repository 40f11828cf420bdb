import type { Summary } from "../../engine/summary/summary.ts";
import { printPlan } from "../../plan/print.ts";
import { githubAnnotations } from "../../report/ci.ts";
import { type Command, EXIT, verdictCode } from "../command/command.ts";
import { command } from "../command/options.ts";
import { checkAddress, commandLine, isNamed, printNext } from "../output/messages.ts";
import {
  appendStepSummary,
  openReportFiles,
  printSummary,
  runMarkdown,
} from "../output/output_file.ts";
import { planOrUrl, planToRun } from "../run/plan_to_run.ts";
import { prepareTask, type RunTask } from "../run/prepare_task.ts";
import { RUN_OPTIONS, type RunGiven } from "../run/run_options.ts";
import { runTask } from "../run/run_task.ts";
import type { Io } from "../system/io.ts";

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
  if (stepSummary !== undefined) appendStepSummary(stepSummary, runMarkdown(summary, brief));
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
