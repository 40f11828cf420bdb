import { InputError, UsageError } from "../../base/errors.ts";
import { formatMs, perSecond, plural, sparkline } from "../../base/format.ts";
import { IS_RELEASE, PLAN_SCHEMA_URL } from "../../base/release.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import { type Converted, PLAN_FILES, type PlanFile } from "../../convert/converted.ts";
import type { LogConversion } from "../../convert/from_accesslog.ts";
import type { HarConversion } from "../../convert/from_har.ts";
import { needsAction, type Note } from "../../convert/notes/notes.ts";
import { checkPlan } from "../../plan/check_plan.ts";
import { amendPlanText } from "../../plan/edits/amend_plan.ts";
import { type MergeConflict, mergePlans, planChanges } from "../../plan/edits/merge_plans.ts";
import { lostComments, withNewHead } from "../../plan/edits/text_edits.ts";
import { loadPlan } from "../../plan/load_plan.ts";
import type { Shard } from "../../plan/partition.ts";
import { printPlan } from "../../plan/print.ts";
import { formatPath } from "../../plan/rules/diagnostic.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { hideAllPasswords } from "../../plan/text/user_info.ts";
import { writeRemote } from "../../storage/open_remote.ts";
import type { Statuses } from "../../traffic/accesslog/collect/request_counts.ts";
import type { FilterRecord } from "../../traffic/accesslog/profile/parse_profile.ts";
import type { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { type Args, EXIT } from "../command/command.ts";
import { isUrl } from "../input/inputs.ts";
import { readDocument } from "../input/read_documents.ts";
import { commandLine, fitToTerminal, isNamed, printNext, printNotes } from "../output/messages.ts";
import { openOutputs, type OutputFile, type Outputs } from "../output/output_file.ts";
import { selectedShard } from "../run/shard_index.ts";
import { type Io, readGrantedEnv } from "../system/io.ts";
import { besidePlan, type ConvertGiven } from "./convert_options.ts";

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
  const { warnings: format, output, update: updatedPath, strict } = given;
  const text = planText(converted);
  // Update the plan first, because a failed update must not write anything.
  const updated = updatedPath === undefined
    ? undefined
    : await updatePlan(updatedPath, given.base ?? updatedPath + BASE_SUFFIX, text);
  if (outputs.html !== undefined && log !== undefined) {
    // Loaded only for `--html`.
    const { logReport } = await import("../../report/html/log_report.ts");
    await outputs.html.write(await logReport({ ...log, converted }));
  }
  if (log?.profileText !== undefined) await outputs.profile?.write(log.profileText);
  if (page !== undefined) await outputs.html?.write(page);
  for (const name of PLAN_FILES) {
    const file = converted.files?.[name];
    if (file !== undefined) await outputs[name]?.write(file);
  }
  await outputs.plan.write(updated?.text ?? text);
  await outputs.base?.write(text);
  const { explanation = [], summary, coverage, traffic } = converted;
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
const MODELINE = IS_RELEASE ? `# yaml-language-server: $schema=${PLAN_SCHEMA_URL}\n` : "";

/**
 * Formats a converted plan as YAML. Throws Error if the plan is invalid, which means that the
 * converter has a bug.
 */
function planText({ plan, header }: Converted): string {
  const faults = checkPlan(plan).filter(({ severity }) => severity === "error");
  if (faults.length > 0) {
    const reasons = faults.map(({ code, path, message }) =>
      `${formatPath(path)}: ${code}: ${message}`
    );
    throw new Error(`the converted plan is invalid: ${reasons.join("; ")}`);
  }
  return MODELINE + printPlan(plan, header);
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
    write: (text) => writeRemote(url, text),
    [Symbol.dispose]() {},
  };
}

function profileName(shard: Shard | undefined): string {
  if (shard === undefined) return "profile.json";
  const digits = `${shard.of}`.length;
  return `profile-${`${shard.index + 1}`.padStart(digits, "0")}-of-${shard.of}.json`;
}

interface UpdatedPlan {
  readonly text: string;
  readonly notes: readonly Note[];
  readonly summary: string;
}

/**
 * Merges the edited plan at `path` with `converted`, the text of the new conversion. Keeps the
 * comments of the edited plan. `base` is the path of the unedited plan that the earlier conversion
 * wrote. Returns undefined if there is no plan at `path`. Throws InputError if a file cannot be
 * read or the result is invalid.
 */
async function updatePlan(
  path: string,
  base: string,
  converted: string,
): Promise<UpdatedPlan | undefined> {
  const edited = await readText(path);
  if (edited === undefined) return undefined;
  const original = await readText(base);
  if (original === undefined) {
    throw new InputError(
      `cannot distinguish your edits from the previous conversion: ${base} does not exist; add ` +
        "`--base FILE`, the unedited plan from the previous conversion",
      { source: path },
    );
  }
  const plans = {
    base: parse(original, base),
    edited: parse(edited, path),
    converted: parse(converted, "the new conversion"),
  };
  const { plan, conflicts } = mergePlans(plans.base, plans.edited, plans.converted);
  const amended = amendPlanText(edited, plan);
  const text = withNewHead(amended ?? printPlan(plan, []), original, converted);
  const { diagnostics } = loadPlan(text);
  const fault = diagnostics.find(({ severity }) => severity === "error");
  if (fault !== undefined) {
    throw new InputError(
      `your edits cannot be applied to the new conversion: ${fault.message}; nothing was written. Change ` +
        "your edits, then update again",
      { source: path, line: fault.line, column: fault.column },
    );
  }
  const [taken, kept] = [
    planChanges(plans.edited, plan).length,
    planChanges(plans.base, plans.edited).length,
  ];
  return {
    text,
    notes: [
      ...conflicts.map((conflict) => conflictNote(conflict)),
      ...lostComments(original, edited, text).map((comment): Note => ({
        code: "edit-conflict",
        subject: "comment",
        message: `the new conversion removed the lines that your comment ${shown(comment)} ` +
          "was attached to",
      })),
    ],
    summary: `updated ${path}: ${plural(taken, "change")} from the new conversion, ` +
      `${plural(kept, "edit")} kept, ${plural(conflicts.length, "conflict")}` +
      (amended === undefined
        ? "; your comments were lost: the plan's YAML could not be edited in place, for example " +
          "because it contains an anchor"
        : ""),
  };
}

function conflictNote({ place, edited, converted }: MergeConflict): Note {
  const kept = edited === undefined ? "you removed it" : `kept your ${shown(edited)}`;
  const other = converted === undefined
    ? "the new conversion does not have it"
    : `the new conversion has ${shown(converted)}`;
  return { code: "edit-conflict", subject: place, message: `${kept}, but ${other}` };
}

/** Maximum length of a value in a warning, in UTF-16 code units. */
const MAX_SHOWN = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(hideAllPasswords(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Reads a file. Returns undefined if it does not exist. */
async function readText(path: string): Promise<string | undefined> {
  try {
    Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  return await readDocument(path);
}

function parse(text: string, source: string): Plan {
  const { plan, diagnostics } = loadPlan(text);
  if (plan !== undefined) return plan;
  const { message, line, column } = diagnostics.find(({ severity }) => severity === "error")!;
  throw new InputError(message, { source, line, column });
}
