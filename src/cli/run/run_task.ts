import type { Redactor } from "../../base/redactor.ts";
import { safeText } from "../../base/safe_text.ts";
import { planRedactor } from "../../engine/flow/constants.ts";
import { formatShard, type Shard } from "../../plan/partition.ts";
import { filesRead, filesWritten } from "../../plan/request_texts.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { dropWriteAccess } from "../command/exit_codes.ts";
import { refuseSampleOutputs } from "../fleet/open_fleet.ts";
import { selectedShard } from "../fleet/shard_index.ts";
import { fileReader, pathResolver } from "../input/read_plan.ts";
import { type ReportPaths, stepSummaryPath } from "../output/report_files.ts";
import { type Io, readGrantedEnv } from "../system/io.ts";
import { confirmRecorded } from "./confirm_recorded.ts";
import { describeTargets, type PlanToRun, preflight } from "./plan_to_run.ts";
import { checkVus, describeLoad, openFilesNote, totalVus } from "./planned_load.ts";
import { locateUnixSockets, usesUnixSockets } from "./run_environment.ts";
import type { RunGiven } from "./run_options.ts";
import { describeOutputs, outputLocator } from "./run_outputs.ts";

/** A plan that may run: its targets are permitted, and the user has agreed to the load. */
export interface RunTask extends PlanToRun {
  /** Path of the plan, or URL of the target, as given. */
  readonly path: string;
  /** Origins of the targets. */
  readonly origins: readonly string[];
  /** Part of the load that `--shard` selects. */
  readonly shard: Shard | undefined;
  readonly readFile: (path: string) => Uint8Array;
  readonly readEnv: (name: string) => string | undefined;
  /**
   * Converts a path in the plan's `outputs` to an absolute path. Throws OutputError if the plan may
   * not write the file.
   */
  readonly locateOutput: (path: string) => string;
  /** Hides the plan's secrets in a string. */
  readonly redact: Redactor;
  /** Paths of the plan and of all files that it reads or writes. */
  readonly files: readonly string[];
  readonly reports: ReportPaths;
  /** File to which to append the summary of a GitHub Actions step. */
  readonly stepSummary: string | undefined;
  /** Text to print before the start: targets, load, outputs and warnings. */
  readonly announcement: string;
}

/**
 * Checks that the plan may run: limits, permissions, targets, and the user's consent to send
 * recorded requests. Throws UsageError or InputError if it may not.
 */
export async function prepareTask(
  read: PlanToRun,
  path: string,
  given: RunGiven,
  io: Io,
): Promise<RunTask> {
  const isOnce = given.once !== undefined;
  const isFleet = given.fleet !== undefined;
  const resolve = pathResolver(path);
  // The machines of a fleet have their own sockets.
  const plan = isFleet ? read.plan : locateUnixSockets(read.plan, resolve);
  // The machines of a fleet have the variables; the leader needs none.
  const readEnv = isFleet ? readGrantedEnv : (name: string) => Deno.env.get(name);
  if (isFleet) refuseSampleOutputs(plan);
  const vus = totalVus(plan);
  const isWhole = !isFleet && given.shard === undefined;
  if (isWhole) checkVus(vus);
  const readFile = fileReader(path);
  const redact = planRedactor(plan, { readFile, readEnv });
  const targets = isFleet
    ? describeTargets(plan, path, readEnv)
    : await preflight(plan, path, readEnv, redact);
  const shard = given.shard && selectedShard(given.shard, given.shards, readEnv);
  const warning = confirmRecorded(plan, targets, shard, given, io);
  const stepSummary = given.format === "github" ? stepSummaryPath({ required: false }) : undefined;
  const reports = { summary: given.summaryExport, html: given.html, junit: given.junit };
  const writes = Object.values(reports).some((path) => path !== undefined) ||
    filesWritten(plan).length > 0 && !isOnce || usesUnixSockets(plan) || stepSummary !== undefined;
  if (!writes) dropWriteAccess();
  const lines = [
    redact(targets.text),
    ...(isOnce ? [] : [describeLoad(plan, shard)]),
    ...(isOnce ? [] : describeOutputs(plan.outputs ?? [], resolve).map(safeText)),
  ];
  const notes = warning + (isWhole ? openFilesNote(vus) : "") + shardNote(plan, given, shard);
  return {
    ...read,
    plan,
    path,
    origins: targets.origins,
    shard,
    readFile,
    readEnv,
    locateOutput: outputLocator(plan, path, given.allowOutput),
    redact,
    files: [path, ...[...filesRead(plan), ...filesWritten(plan)].map(resolve)],
    reports,
    stepSummary,
    announcement: given.quiet ? "" : lines.map((line) => line + "\n").join("") + notes,
  };
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
  const lost = summaryExport === undefined
    ? " Add `--summary-export FILE`: without a summary to merge, the thresholds are never evaluated."
    : "";
  return `shard ${
    formatShard(shard)
  }: thresholds are not evaluated, and \`abort_on_fail\` has no ` +
    `effect. \`rehearse merge\` evaluates the thresholds over all shards.${lost}\n`;
}
