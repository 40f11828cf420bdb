import { isAbsolute, relative, resolve, SEPARATOR } from "@std/path";
import { realPath } from "../../base/atomic_file.ts";
import { OutputError, UsageError } from "../../base/errors.ts";
import { formatThousands } from "../../base/format.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeText } from "../../base/safe_text.ts";
import { planRedactor } from "../../engine/flow/constants.ts";
import { outputVariant } from "../../plan/kinds/outputs.ts";
import { formatShard, type Shard } from "../../plan/partition.ts";
import { filesRead, filesWritten } from "../../plan/request_texts.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { dropWriteAccess } from "../command/command.ts";
import { selectedShard } from "./shard_index.ts";
import { fileReader, pathResolver } from "../input/read_documents.ts";
import { type ReportPaths, stepSummaryPath } from "../output/output_file.ts";
import { type Io, readEnv, readGrantedEnv } from "../system/io.ts";
import type { PlanToRun } from "./plan_to_run.ts";
import { describeLoad, planFacts } from "./planned_load.ts";
import type { RunGiven } from "./run_options.ts";
import {
  confirmRecorded,
  describeTargets,
  locateUnixSockets,
  preflight,
  usesUnixSockets,
} from "./targets.ts";

/** A plan that may run: its targets are permitted, and the user has agreed to the load. */
export interface RunTask extends PlanToRun {
  readonly path: string;
  readonly origins: readonly string[];
  readonly shard: Shard | undefined;
  readonly readFile: (path: string) => Uint8Array;
  readonly readEnv: (name: string) => string | undefined;
  /**
   * Converts a path in the plan's `outputs` to an absolute path. Throws OutputError if the plan may
   * not write the file.
   */
  readonly locateOutput: (path: string) => string;
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
  const readVariable = isFleet ? readGrantedEnv : readEnv;
  if (isFleet) refuseSampleOutputs(plan);
  const shard = given.shard && selectedShard(given.shard, given.shards, readVariable);
  const facts = planFacts(plan, shard);
  if (!isFleet && shard === undefined) checkVus(facts.maxVus);
  const readFile = fileReader(path);
  const redact = planRedactor(plan, { readFile, readEnv: readVariable });
  const targets = isFleet
    ? describeTargets(plan, path, readVariable)
    : await preflight(plan, path, readVariable, redact);
  const load = isOnce ? "Load: one iteration of each scenario" : describeLoad(facts);
  const warning = confirmRecorded(plan, targets, load, given, io);
  const stepSummary = given.format === "github" ? stepSummaryPath({ required: false }) : undefined;
  const reports = { summary: given.summaryExport, html: given.html, junit: given.junit };
  const writes = Object.values(reports).some((path) => path !== undefined) ||
    filesWritten(plan).length > 0 && !isOnce || usesUnixSockets(plan) || stepSummary !== undefined;
  if (!writes) dropWriteAccess();
  const lines = [
    redact(targets.text),
    ...(isOnce ? [] : [load, ...describeOutputs(plan, resolve)]),
  ];
  const notes = warning + shardNote(plan, given, shard);
  return {
    ...read,
    plan,
    path,
    origins: targets.origins,
    shard,
    readFile,
    readEnv: readVariable,
    locateOutput: outputLocator(plan, path, given.allowOutput),
    redact,
    files: [path, ...[...filesRead(plan), ...filesWritten(plan)].map(resolve)],
    reports,
    stepSummary,
    announcement: given.quiet ? "" : lines.map((line) => line + "\n").join("") + notes,
  };
}

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

/** Maximum number of VUs of a run on one machine. */
const MACHINE_VUS = 100_000;

function checkVus(vus: number): void {
  if (vus <= MACHINE_VUS) return;
  throw new UsageError(
    `cannot run ${formatThousands(vus)} VUs on one machine: the limit is ${
      formatThousands(MACHINE_VUS)
    }; use fewer VUs, or divide them among machines with \`--shard\` or \`--fleet\``,
  );
}

/**
 * Creates a function that resolves a path in the plan's `outputs` to an absolute path. Because
 * plans may be untrusted, the function accepts only files in the folder of the plan or under one of
 * the paths in `allowed` (`--allow-output`). It throws OutputError for any other file, for a file
 * that the plan reads, and for a file that another output already uses.
 */
function outputLocator(
  plan: Plan,
  planPath: string,
  allowed: readonly string[],
): (path: string) => string {
  const locate = pathResolver(planPath);
  const roots = [locate("."), ...allowed.map((path) => resolve(path))];
  const read = [
    ...(planPath === "-" ? [] : [resolve(planPath)]),
    ...filesRead(plan).map(locate),
  ];
  const taken = new Set<string>();
  return (path) => {
    const target = realPath(locate(path));
    const refuse = (reason: string) =>
      new OutputError(`cannot write the output ${path}: ${reason}`);
    if (!roots.some((root) => isWithin(target, realPath(root)))) {
      throw refuse(
        `${target} is not in the plan's folder; add \`--allow-output ${path}\` if you trust the plan`,
      );
    }
    if (read.some((path) => realPath(path) === target)) {
      throw refuse("the plan reads this file; choose another path");
    }
    if (taken.has(target)) throw refuse("another output writes this file; choose another path");
    taken.add(target);
    return target;
  };
}

function isWithin(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${SEPARATOR}`) && !isAbsolute(way);
}

function describeOutputs({ outputs = [] }: Plan, resolve: (path: string) => string): string[] {
  return outputs.flatMap((output) => outputVariant(output).destinations(output, resolve))
    .map((line) => safeText(hidePasswords(line)));
}

function refuseSampleOutputs({ outputs = [] }: Plan): void {
  const local = outputs.find((output) => outputVariant(output).files !== undefined);
  if (local !== undefined) {
    throw new UsageError(
      `the output \`${local.type}\` writes individual samples, which a fleet does not collect; remove it, ` +
        "or run without --fleet",
    );
  }
}
