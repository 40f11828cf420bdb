import { UsageError } from "../../base/errors.ts";
import { formatMs, perSecond, sparkline } from "../../base/format.ts";
import { IS_RELEASE, PLAN_SCHEMA_URL } from "../../base/release.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import { type Converted, PLAN_FILES, type PlanFile } from "../../convert/converted.ts";
import type { LogConversion } from "../../convert/from_accesslog.ts";
import type { HarConversion } from "../../convert/from_har.ts";
import { needsAction, type Note } from "../../convert/notes/notes.ts";
import { checkPlan } from "../../plan/check_plan.ts";
import type { Shard } from "../../plan/partition.ts";
import { printPieces } from "../../plan/print.ts";
import { formatPath } from "../../plan/rules/diagnostic.ts";
import { writeRemote } from "../../storage/open_remote.ts";
import type { Statuses } from "../../traffic/accesslog/collect/small_collectors.ts";
import type { FilterRecord } from "../../traffic/accesslog/profile/parse_profile.ts";
import type { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { type Args, EXIT } from "../command/command.ts";
import { selectedShard } from "../run/shard_index.ts";
import { isUrl } from "../input/inputs.ts";
import { commandLine, fitToTerminal, isNamed, printNext, printNotes } from "../output/messages.ts";
import { openOutputs, type OutputFile, type Outputs } from "../output/output_file.ts";
import { type Io, readGrantedEnv } from "../system/io.ts";
import { besidePlan, type ConvertGiven } from "./convert_options.ts";
import { type UpdatedPlan, updatePlan } from "./update_plan.ts";

export interface ObservedLog {
  readonly profile: TrafficProfile;
  /** Filters, and the number of requests that each of them dropped. */
  readonly filters: readonly FilterRecord[];
  /** Notes on how the inputs were read. */
  readonly inputNotes: readonly Note[];
  readonly statuses?: Statuses;
  readonly zone?: string;
  readonly profileText?: string;
}

export interface Conversion {
  readonly converted:
    & Converted
    & Partial<Pick<LogConversion, "traffic" | "coverage">>
    & Partial<Pick<HarConversion, "explanation">>;
  /** Traffic recorded in the logs. Absent if the input is a HAR. */
  readonly log?: ObservedLog;
  readonly page?: string;
}

/** Open outputs of `convert`. Each output except the plan is absent unless its option is given. */
export type ConvertOutputs = Outputs<
  & { readonly plan: string }
  & Readonly<Record<"base" | "profile" | "html" | PlanFile, string | undefined>>
>;

/**
 * Opens the outputs of `convert`, before the work starts, so that an unwritable path fails early.
 * Those that are not written are discarded at the end of the scope. Throws the errors of
 * `openOutputs`.
 */
export function openConvertOutputs(
  given: ConvertGiven,
  inputs: readonly string[],
  io: Io,
): ConvertOutputs {
  const { update, base, output, ids, html } = given;
  if (update === "-") throw new UsageError("--update cannot be -: expected the path of a plan");
  // `--update` reads and replaces the base of the previous conversion.
  const replaced = update && update + BASE_SUFFIX;
  const profile = profilePath(given);
  const isRemote = profile !== undefined && isUrl(profile);
  const outputs = openOutputs(
    {
      plan: update ?? output ?? "-",
      base: replaced,
      arrivals: besidePlan(given, "arrivals"),
      visits: besidePlan(given, "visits"),
      profile: isRemote ? undefined : profile,
      ids,
      html,
    },
    base === undefined || base === replaced ? inputs : [...inputs, base],
    io,
  );
  return isRemote ? { ...outputs, profile: remoteOutput(profile) } : outputs;
}

/**
 * Suffix of the file that `--update` creates next to the edited plan. The file contains the plan as
 * converted, without edits.
 */
const BASE_SUFFIX = ".base";

export async function writeConversion(
  { converted, log, page }: Conversion,
  repeated: readonly Note[],
  outputs: ConvertOutputs,
  given: ConvertGiven,
  io: Io,
): Promise<number> {
  const pieces = planText(converted);
  // Update the plan first, because a failed update must not write anything.
  const updated = await update(pieces, given);
  if (outputs.html !== undefined && log !== undefined) {
    // Loaded only for `--html`.
    const { logReport } = await import("../../report/html/log_report.ts");
    await outputs.html.write(await logReport({ ...log, converted }));
  }
  if (log?.profileText !== undefined) await outputs.profile?.write(log.profileText);
  if (page !== undefined) await outputs.html?.write(page);
  for (const name of PLAN_FILES) {
    const text = converted.files?.[name];
    if (text !== undefined) await outputs[name]?.write(text);
  }
  await outputs.plan.write(...(updated === undefined ? pieces : [updated.text]));
  await outputs.base?.write(...pieces);
  const { explanation = [], summary, coverage, traffic } = converted;
  const { warnings: format, output, update: updatedPath, strict } = given;
  if (explanation.length > 0) {
    const end = format === "text" ? "\n\n" : "\n";
    io.stderr.write(explanation.map(safeText).join("\n") + end);
  }
  const notes = [
    ...repeated,
    ...log?.inputNotes ?? [],
    ...converted.notes,
    ...updated?.notes ?? [],
  ];
  printNotes(notes, format, io);
  if (format === "text") {
    const lines = [summary, coverage, traffic, updated?.summary].filter((line) =>
      line !== undefined
    );
    io.stderr.write(`${fitToTerminal(lines, io.stderr).join("\n")}\n`);
    printRates(log, io);
    printNextStep(output ?? updatedPath, log === undefined, given.args, io);
  }
  return strict && needsAction(notes) ? EXIT.STRICT : EXIT.OK;
}

async function update(
  pieces: readonly string[],
  { update: path, base }: ConvertGiven,
): Promise<UpdatedPlan | undefined> {
  if (path === undefined) return undefined;
  return await updatePlan(path, base ?? path + BASE_SUFFIX, pieces.join(""));
}

function printNextStep(
  plan: string | undefined,
  isRecording: boolean,
  args: Args,
  io: Io,
): void {
  if (!isNamed(plan)) return;
  const [input] = args.positionals;
  const next = isRecording && isNamed(input)
    ? commandLine("verify", plan, "--har", input)
    : commandLine("inspect", plan);
  printNext(next, args, io);
}

function printRates(log: ObservedLog | undefined, io: Io): void {
  const columns = io.stderr.columns();
  if (log === undefined || columns === undefined) return;
  const { profile } = log;
  const { seconds } = profile.span()!;
  const rates = profile.rates(Math.min(72, columns, seconds));
  const scale = `0 to ${perSecond(Math.max(...rates))} over ${formatMs(seconds * 1_000)}`;
  io.stderr.write(`${sparkline(rates)}\n${scale}\n`);
}

/**
 * Comment at the start of a plan with the URL of the JSON Schema, for an editor's YAML language
 * server.
 */
const MODELINE = IS_RELEASE ? [`# yaml-language-server: $schema=${PLAN_SCHEMA_URL}\n`] : [];

/**
 * Formats a converted plan as YAML, in pieces. Throws Error if the plan is invalid, which means
 * that the converter has a bug.
 */
function planText({ plan, header }: Converted): readonly string[] {
  const pieces = [...MODELINE, ...printPieces(plan, header)];
  const faults = checkPlan(plan).filter(({ severity }) => severity === "error");
  if (faults.length > 0) {
    const reasons = faults.map(({ code, path, message }) =>
      `${formatPath(path)}: ${code}: ${message}`
    );
    throw new Error(`the converted plan is invalid: ${reasons.join("; ")}`);
  }
  return pieces;
}

/** Returns the shard of the inputs that `--shard` selects, if it is given. */
export function inputShard({ shard, shards }: ConvertGiven): Shard | undefined {
  return shard && selectedShard(shard, shards, readGrantedEnv);
}

function profilePath(given: ConvertGiven): string | undefined {
  const { profile } = given;
  return profile?.endsWith("/") ? profile + profileName(inputShard(given)) : profile;
}

function remoteOutput(url: string): OutputFile {
  if (!/^s3:/i.test(url)) {
    throw new UsageError(`cannot write to ${safeSnippet(url)}: expected a path or s3://BUCKET/KEY`);
  }
  return {
    write: (...pieces) => writeRemote(url, pieces.join("")),
    [Symbol.dispose]() {},
  };
}

function profileName(shard: Shard | undefined): string {
  if (shard === undefined) return "profile.json";
  const digits = `${shard.of}`.length;
  return `profile-${`${shard.index + 1}`.padStart(digits, "0")}-of-${shard.of}.json`;
}
