import type { Redactor } from "../../base/redactor.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { printPlan } from "../../plan/print.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { githubAnnotations } from "../../report/ci.ts";
import { withoutSecrets } from "../../traffic/session/secret_texts.ts";
import { placeholder } from "../command/args.ts";
import type { Args, Command, Flag } from "../command/command.ts";
import { EXIT, verdictCode } from "../command/exit_codes.ts";
import { command, toFlags } from "../command/options.ts";
import { checkAddress, commandLine, isNamed, printNext } from "../output/messages.ts";
import {
  appendStepSummary,
  openReportFiles,
  printSummary,
  runMarkdown,
} from "../output/report_files.ts";
import { planOrUrl, planToRun } from "../run/plan_to_run.ts";
import { prepareTask, type RunTask } from "../run/prepare_task.ts";
import { RUN_OPTIONS, type RunGiven } from "../run/run_options.ts";
import { runTask } from "../run/run_task.ts";
import type { Io } from "../system/io.ts";

/** The `rehearse run` command. */
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
  if (given.quiet || summary.ending === "interrupted") return;
  printNextRun({ ...task, summary }, given, io);
}

interface EndedRun {
  readonly summary: Summary;
  /** Path of the plan, or URL of the target, as given on the command line. */
  readonly path: string;
  readonly origins: readonly string[];
  /** Hides the secrets of the plan. */
  readonly redact: Redactor;
}

/**
 * Options that are not repeated in the suggested command: those of a trial run, the run id, and
 * `--html`, which the suggestion adds.
 */
const NOT_REPEATED = ["once", "bodies", "run-id", "html"];

/**
 * Prints what to do after a run: open its report, or run again with the same options and a report.
 * After a failed trial run (`--once`), suggests printing the bodies. If no request got a response,
 * prints what to check instead. Hides secrets.
 */
function printNextRun(run: EndedRun, given: RunGiven, io: Io): void {
  const { summary, path, origins, redact } = run;
  const { html, summaryExport: exported, args } = given;
  if (summary.failure === "no request got a response") {
    const errors = summary.errors.filter(({ kind }) => kind !== "template");
    const messages = errors.map(({ message }) => message);
    printNext(checkAddress(origins.map((origin) => redact(origin)), messages), args, io);
  } else if (isNamed(html)) printNext(`open ${html} in a browser`, args, io);
  else if (given.shard !== undefined || path === "-") return;
  else if (isNamed(exported)) {
    printNext(commandLine("report", exported, "-o", "report.html"), args, io);
  } else {
    const options = toFlags(RUN_OPTIONS).flatMap((flag) => repeatedOption(flag, args));
    const hide = secretHider(options.length > 0 || path.includes("://"));
    const words = [path, ...options].map((word) => redact(hide(word)));
    printNext(commandLine("run", ...words, ...furtherOptions(summary, given)), args, io);
  }
}

/**
 * Returns the options to add to the suggested command: after a failed run with `--once`, `--once`
 * again with `--bodies`; otherwise, or if `--bodies` was already given, `--html`.
 */
function furtherOptions({ failure }: Summary, { once, bodies }: RunGiven): string[] {
  if (failure === undefined || once === undefined || bodies) return ["--html", "report.html"];
  return [once === "all" ? "--once=all" : "--once", "--bodies"];
}

function secretHider(mayHoldSecrets: boolean): Redactor {
  if (!mayHoldSecrets) return hidePasswords;
  return (word) => withoutSecrets(hidePasswords(word));
}

/**
 * Returns the command-line arguments that repeat an option with the given values. Returns an empty
 * list if the option was not given or is one of `NOT_REPEATED`.
 */
function repeatedOption(flag: Flag, args: Args): string[] {
  const { name } = flag;
  if (!args.has(name) || NOT_REPEATED.includes(name)) return [];
  if (placeholder(flag) === undefined) return [`--${name}`];
  return args.all(name).flatMap((value) => {
    if (value === "") return [`--${name}`];
    // A value that follows a space must not look like an option.
    return flag.optional || value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
  });
}
