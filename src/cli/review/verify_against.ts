import { InputError } from "../../base/errors.ts";
import { safeJson } from "../../base/safe_text.ts";
import { recordedSecretHider } from "../../convert/har/secrets.ts";
import { runIdentity } from "../../engine/runner.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { listRequests } from "../../plan/kinds/list_requests.ts";
import { override } from "../../plan/override.ts";
import { WHOLE } from "../../plan/partition.ts";
import { filesRead } from "../../plan/request_texts.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { reviewPage } from "../../report/html/review_page.ts";
import { reviewText } from "../../report/text/review.ts";
import type { LogCollector } from "../../traffic/accesslog/collect/collector.ts";
import { Statuses } from "../../traffic/accesslog/collect/small_collectors.ts";
import type { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { compareReceived, ReceivedLog } from "../../verify/log/compare_received.ts";
import { compareWithLog, refuseOtherPlan } from "../../verify/log/compare_with_log.ts";
import { type Verification, type VerifyOptions, verifyPlan } from "../../verify/verify_plan.ts";
import { type Args, EXIT } from "../command/command.ts";
import { type InputKind, rejectOtherKinds } from "../input/input_kind.ts";
import { openInputs, readHarFile } from "../input/open_inputs.ts";
import { type LineOptions, readLog } from "../input/read_log.ts";
import { fileReader, pathResolver, readSummary } from "../input/read_documents.ts";
import { commandLine, isNamed, printNext, printNotes, progressLine } from "../output/messages.ts";
import { openPage, type OutputFile } from "../output/output_file.ts";
import type { Io } from "../system/io.ts";
import { logComparisonPage, logComparisonText } from "./log_comparison.ts";
import { findingsReview, verificationReview } from "./verification_review.ts";
import { describeFix, hiddenFindings } from "./verification_text.ts";

export const VERIFY_FORMATS = ["text", "json", "html"] as const;

export interface ReportOptions {
  readonly format: typeof VERIFY_FORMATS[number];
  readonly html: string | undefined;
  readonly args: Args;
}

/**
 * Verifies the plan at `path` against the HAR at `har` and prints the findings. Returns the exit
 * code. Throws InputError if the HAR cannot be read.
 */
export async function verifyAgainstHar(
  plan: Plan,
  path: string,
  har: string,
  load: Pick<VerifyOptions, "users" | "iterations"> & {
    readonly explain: boolean;
    readonly strict: boolean;
  },
  report: ReportOptions,
  io: Io,
): Promise<number> {
  using html = openPage(report.html, [path, har, ...filesRead(plan).map(pathResolver(path))], io);
  const recording = await readHarFile(har, io);
  const findings = await verifyPlan(plan, recording, {
    ...load,
    readFile: fileReader(path),
    readEnv: (name) => Deno.env.get(name),
  }, har);
  const found = hiddenFindings(findings, recordedSecretHider(recording));
  const page = () => reviewPage(verificationReview(findings, plan, recording));
  const text = (one: Verification) => reviewText(findingsReview(one), load.explain);
  await writeFindings(found, { text, page }, html, report, io);
  if (isNamed(path) && (found.verdict === "consistent" || found.verdict === "unproven")) {
    const calibrate = ["calibrate", path, "--har", har, "--base-url", "URL", "-o", path];
    const next = isNamed(har) && lacksTarget(plan) ? calibrate : ["run", path, "--once"];
    printNext(commandLine(...next), report.args, io);
  } else if (isNamed(path) && isNamed(har)) {
    const converted = commandLine("convert", har, "-o", path);
    const fix = found.stale.some((value) => describeFix(value) !== undefined)
      ? "make the edits above"
      : found.isForeign
      ? "verify with the recording from which the plan was converted"
      : "correct the requests and extractors above in the plan";
    printNext(`${fix}, or convert again: ${converted}`, report.args, io);
  }
  return exitCode(found, load.strict);
}

function lacksTarget({ defaults, scenarios }: Plan): boolean {
  if (URL.canParse(defaults?.http?.base_url ?? "")) return false;
  return Object.values(scenarios).some(({ flow }) =>
    [...listRequests(flow)].some(({ url }) => !URL.canParse(url))
  );
}

/**
 * Returns the exit code of a verification. The verdict `unproven` counts as a failure only if
 * `isStrict` is true, because the plan may still work.
 */
function exitCode({ verdict }: Verification, isStrict: boolean): number {
  switch (verdict) {
    case "stale":
    case "failed":
    case "differs":
    case "incomplete":
      return EXIT.FAILED;
    case "unproven":
      return isStrict ? EXIT.STRICT : EXIT.OK;
    case "consistent":
      return EXIT.OK;
  }
}

/** What `verify` compares a run with, and how to read the lines of the logs. */
export interface ComparedLogs {
  readonly log: readonly string[];
  readonly lines: LineOptions;
  readonly run: string;
  /** Path of the log that the target wrote during the run. */
  readonly received: string | undefined;
  readonly receivedLines: LineOptions;
}

/**
 * Compares a run of `plan` with access logs and prints the findings. Returns the exit code: 0 if
 * the run matches the logs, otherwise 1. Throws InputError if a file cannot be read, a log is a
 * file of another kind, or the run is of another plan.
 */
export async function verifyAgainstLog(
  plan: Plan,
  path: string,
  { log, lines, run, received, receivedLines }: ComparedLogs,
  report: ReportOptions,
  io: Io,
): Promise<number> {
  const files = [path, run, ...log, ...(received === undefined ? [] : [received])];
  using html = openPage(report.html, files, io);
  const summary = await readSummary(run, io);
  refuseOtherPlan(summary, plan, run);
  const statuses = new Statuses();
  const [sent, target] = [new ReceivedLog(), new ReceivedLog()];
  const collectors = received === undefined ? [statuses] : [statuses, ...sent.collectors];
  const profile = sent.profile = await buildProfile(log, lines, collectors, io);
  if (received !== undefined) {
    target.profile = await buildProfile([received], receivedLines, target.collectors, io);
  }
  const more = received === undefined ? undefined : compareReceived(plan, sent, target);
  const found = {
    ...compareWithLog(plan, summary, profile, statuses, isSamePlan(summary, plan, path)),
    ...(more && { received: more }),
  };
  await writeFindings(
    found,
    { text: logComparisonText, page: logComparisonPage },
    html,
    report,
    io,
  );
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
  collectors: readonly LogCollector[],
  io: Io,
): Promise<TrafficProfile> {
  using line = progressLine(io.stderr);
  using opened = await openInputs(paths, io.stdin, async (source): Promise<InputKind> => {
    await rejectOtherKinds(source, "accesslog");
    return "accesslog";
  });
  printNotes(opened.repeated, "text", io);
  const reading = { filters: [], collectors, ...lines };
  const { profile, inputNotes } = await readLog(opened.inputs, reading, line.update);
  line.clear();
  printNotes(inputNotes, "text", io);
  return profile;
}

interface Renderers<Found> {
  readonly text: (found: Found) => string;
  readonly page: (found: Found) => Promise<string>;
}

async function writeFindings<Found>(
  found: Found,
  { text, page }: Renderers<Found>,
  html: OutputFile | undefined,
  { format }: ReportOptions,
  io: Io,
): Promise<void> {
  if (html !== undefined) await html.write(await page(found));
  switch (format) {
    case "json":
      return io.stdout.write(safeJson(found) + "\n");
    case "html":
      return io.stdout.write(await page(found));
    default:
      return io.stdout.write(text(found));
  }
}
