import { InputError, UsageError } from "../../base/errors.ts";
import { safeJson } from "../../base/safe_text.ts";
import { recordedSecretHider } from "../../convert/har/secrets.ts";
import { runIdentity } from "../../engine/runner.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { override } from "../../plan/override.ts";
import { WHOLE } from "../../plan/partition.ts";
import { filesRead } from "../../plan/request_texts.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { reviewPage } from "../../report/html/review_page.ts";
import { reviewText } from "../../report/text/review.ts";
import { Statuses } from "../../traffic/accesslog/collect/request_counts.ts";
import type { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { compareWithLog, refuseOtherPlan } from "../../verify/log/compare_with_log.ts";
import { verifyPlan } from "../../verify/verify_plan.ts";
import { type Command, EXIT } from "../command/command.ts";
import {
  choice,
  command,
  filesToRead,
  fileToRead,
  fileToWrite,
  type Given,
  grouped,
  text,
  toggle,
  wholeNumber,
} from "../command/options.ts";
import { type InputKind, rejectOtherKinds } from "../input/input_kind.ts";
import { openInputs, readHarFile } from "../input/inputs.ts";
import { fileReader, pathResolver, readPlan, readSummary } from "../input/read_documents.ts";
import { FORMAT_OPTIONS, type LineOptions, lineOptions, readLog } from "../input/read_log.ts";
import { commandLine, isNamed, printNext, printNotes, progressLine } from "../output/messages.ts";
import { openOutputs, type OutputFile } from "../output/output_file.ts";
import { logComparisonPage, logComparisonText } from "../review/log_comparison.ts";
import { findingsReview, verificationReview } from "../review/verification_review.ts";
import { describeFix, hiddenFindings } from "../review/review_parts.ts";
import { planFacts } from "../run/planned_load.ts";
import { type Io, readEnv } from "../system/io.ts";

const HAR = { group: "Compare with a browser recording" };
const LOG = { group: "Compare with an access log" };

const VERIFY_OPTIONS = {
  format: choice(["text", "json", "html"], {
    default: "text",
    help: "Format of the report; json prints one object, html a self-contained page",
  }),
  html: fileToWrite({
    help:
      "Also write an HTML page to FILE: calls, values with their sources and consumers, and edits to make",
  }),
  env: text({ short: "e", value: "NAME", help: "Apply the plan's overlay NAME" }),
  har: fileToRead({
    ...HAR,
    conflicts: { log: "compare with one of them" },
    help: "Compare with this recording, from which the plan was made",
  }),
  ...grouped({ ...HAR, with: "har" }, {
    iterations: wholeNumber({
      default: "1",
      help:
        "Run N iterations per user; use 2 or more to check that the plan can run more than once",
    }, 1),
    vus: wholeNumber({
      default: "1",
      help: "Run N users per scenario; 2 or more show whether users interfere with each other",
    }, 1),
    explain: toggle({
      help: "Also list the values and calls that the recording does not show to be right",
    }),
    strict: toggle({
      help:
        "Exit with code 3 if the recording does not show that all values in the plan are right (`unproven`)",
    }),
  }),
  log: filesToRead({
    ...LOG,
    with: "run",
    help: "Compare with this log, from which the plan was made; several files count as one log",
  }),
  ...grouped({ ...LOG, with: "log" }, {
    run: fileToRead({
      help: "Compare the run whose summary is in FILE (see `run --summary-export`)",
    }),
    ...FORMAT_OPTIONS,
  }),
};

type VerifyGiven = Given<typeof VERIFY_OPTIONS>;

export const verifyCommand: Command = command({
  name: "verify",
  usage: "PLAN (--har FILE | --log FILE --run FILE) [OPTIONS]",
  takes: "files",
  expects: { what: "one plan to verify (- for standard input)" },
  about: [
    "With --har: runs the plan in this process against a mock server that replays the recorded " +
    "responses with fresh tokens, ids and times, and checks what the plan sends. It reports stale " +
    "values (sent as recorded, with the extractor to add), unproven values (recorded literals that the " +
    "server might generate), calls that are missing, added or different from the recording, " +
    "and extractors that find nothing. It does not use the network or read secrets.",
    "The result is stale, failed, differs, incomplete (recorded calls were not sent), unproven (the " +
    "recording does not show that all values are right) or consistent with the recording. Each call also gets a verdict. Only a run against the live application can prove that the plan works.",
    "With --log and --run: compares the requests of a run with the log, by endpoint, over time and by " +
    "response status, and reports whether the differences are statistically significant.",
    "Exit codes: 0 the plan is consistent with the recording, or unproven without --strict, or the run " +
    "matches the log; 1 otherwise, or an input could not be read; 2 the command line is invalid; " +
    "3 the plan is unproven (with --strict).",
  ],
  options: VERIFY_OPTIONS,
  needs: [],
  examples: {
    "rehearse verify plan.yaml --har session.har":
      "Report what prevents the plan from replaying the recording.",
    "rehearse verify plan.yaml --har session.har --iterations 3 --vus 2":
      "Verify with two users, three iterations each.",
    "rehearse verify plan.yaml --har session.har --html review.html":
      "Also write a page with the calls, the values and the edits to make.",
    "rehearse verify plan.yaml --log access.log --run summary.json":
      "Check whether a run had the log's mix and rate.",
  },
  async run(given, io) {
    const { har, log, env, args: { positionals: [path] } } = given;
    if (har === undefined && log.length === 0) {
      throw new UsageError(
        "verify needs a recording or a log to compare with: add `--har FILE`, or `--log FILE --run FILE`",
      );
    }
    const plan = await readPlan(path, env, io);
    if (plan === undefined) return EXIT.FAILED;
    return har === undefined
      ? await verifyAgainstLog(plan, given, io)
      : await verifyAgainstHar(plan, har, given, io);
  },
});

/**
 * Verifies `plan` against the HAR at `har` and prints the findings. Returns the exit code. Throws
 * InputError if the HAR cannot be read.
 */
async function verifyAgainstHar(
  plan: Plan,
  har: string,
  given: VerifyGiven,
  io: Io,
): Promise<number> {
  const { vus: users, iterations, explain, strict, args } = given;
  const [path] = args.positionals;
  const files = [path, har, ...filesRead(plan).map(pathResolver(path))];
  using outputs = openOutputs({ html: given.html }, files, io);
  const recording = await readHarFile(har, io);
  const findings = await verifyPlan(plan, recording, {
    users,
    iterations,
    readFile: fileReader(path),
    readEnv,
  }, har);
  const found = hiddenFindings(findings, recordedSecretHider(recording));
  const page = () => reviewPage(verificationReview(findings, plan, recording));
  const report = () => reviewText(findingsReview(found), explain);
  await writeFindings(found, report, page, outputs.html, given, io);
  if (isNamed(path) && (found.verdict === "consistent" || found.verdict === "unproven")) {
    const calibrate = ["calibrate", path, "--har", har, "--base-url", "URL", "-o", path];
    const next = isNamed(har) && planFacts(plan).needsBaseUrl ? calibrate : ["run", path, "--once"];
    printNext(commandLine(...next), args, io);
  } else if (isNamed(path) && isNamed(har)) {
    const converted = commandLine("convert", har, "-o", path);
    const fix = found.stale.some((value) => describeFix(value) !== undefined)
      ? "make the edits above"
      : found.isForeign
      ? "verify with the recording from which the plan was converted"
      : "correct the requests and extractors above in the plan";
    printNext(`${fix}, or convert again: ${converted}`, args, io);
  }
  if (found.verdict === "consistent") return EXIT.OK;
  // The plan may work although the recording does not show it.
  if (found.verdict === "unproven") return strict ? EXIT.STRICT : EXIT.OK;
  return EXIT.FAILED;
}

/**
 * Compares a run of `plan` with access logs and prints the findings. Returns the exit code: 0 if
 * the run matches the logs, otherwise 1. Throws InputError if a file cannot be read, a log is a
 * file of another kind, or the run is of another plan.
 */
async function verifyAgainstLog(plan: Plan, given: VerifyGiven, io: Io): Promise<number> {
  const { log, args: { positionals: [path] } } = given;
  const run = given.run!;
  using outputs = openOutputs({ html: given.html }, [path, run, ...log], io);
  const lines = lineOptions(given);
  const summary = await readSummary(run, io);
  refuseOtherPlan(summary, plan, run);
  const statuses = new Statuses();
  const profile = await buildProfile(log, lines, statuses, io);
  const isSame = isSamePlan(summary, plan, path);
  const found = compareWithLog(plan, summary, profile, statuses, isSame);
  const report = () => logComparisonText(found);
  await writeFindings(found, report, () => logComparisonPage(found), outputs.html, given, io);
  return found.asTheLog ? EXIT.OK : EXIT.FAILED;
}

function isSamePlan(
  { plan_hash }: Summary,
  plan: Plan,
  path: string,
): boolean | null {
  try {
    const options = { shard: WHOLE, readFile: fileReader(path) };
    return runIdentity(override(plan, {}), options).planHash === plan_hash;
  } catch (error) {
    // A data file of the plan may be missing here. The comparison does not need it.
    if (error instanceof InputError) return null;
    throw error;
  }
}

async function buildProfile(
  paths: readonly string[],
  lines: LineOptions,
  statuses: Statuses,
  io: Io,
): Promise<TrafficProfile> {
  using line = progressLine(io.stderr);
  using opened = await openInputs(paths, io.stdin, async (source): Promise<InputKind> => {
    await rejectOtherKinds(source, "accesslog");
    return "accesslog";
  });
  printNotes(opened.repeated, "text", io);
  const reading = { filters: [], collectors: [statuses], ...lines };
  const { profile, inputNotes } = await readLog(opened.inputs, reading, line.update);
  line.clear();
  printNotes(inputNotes, "text", io);
  return profile;
}

async function writeFindings(
  found: object,
  report: () => string,
  page: () => Promise<string>,
  html: OutputFile | undefined,
  { format }: VerifyGiven,
  io: Io,
): Promise<void> {
  await html?.write(await page());
  io.stdout.write(
    format === "json" ? safeJson(found) + "\n" : format === "html" ? await page() : report(),
  );
}
