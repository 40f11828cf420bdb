import { HEAD_BYTES } from "../../base/bytes/byte_source.ts";
import { UsageError } from "../../base/errors.ts";
import { readingNotes } from "../../convert/accesslog/reading_notes.ts";
import type { Converted } from "../../convert/converted.ts";
import { convertHar } from "../../convert/from_har.ts";
import type { HarOptions } from "../../convert/har/facts.ts";
import { findEntryRequest, harAtLogRate } from "../../convert/har_at_log_rate.ts";
import type { LogCollector } from "../../traffic/accesslog/collect/collector.ts";
import { buildFilters } from "../../traffic/accesslog/collect/filters.ts";
import { EntryRequests, Statuses } from "../../traffic/accesslog/collect/small_collectors.ts";
import type { TrafficSample } from "../../traffic/accesslog/collect/traffic_sample.ts";
import { serializeProfile } from "../../traffic/accesslog/profile/parse_profile.ts";
import { busiestWindow, type TimeWindow } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { inputKind } from "../input/input_kind.ts";
import type { Io } from "../system/io.ts";
import { convertAccessLog } from "../../convert/from_accesslog.ts";
import { loggedZone, sampleLogs } from "../input/log_head.ts";
import { type Input, openInputs, readHarFile } from "../input/open_inputs.ts";
import { readFormat, type Reading, readLog } from "../input/read_log.ts";
import { type ConvertProgress, progressLine } from "../output/messages.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { type ConvertGiven, refuseOthers } from "./convert_options.ts";
import { type LogSettings, logSettings } from "./log_settings.ts";
import type { Conversion, ConvertOutputs, ObservedLog } from "./write_conversion.ts";

/** Access logs and traffic profiles to convert, and the settings and outputs of the conversion. */
export interface LogTask {
  readonly inputs: readonly Input[];
  readonly settings: LogSettings;
  readonly outputs: ConvertOutputs;
  readonly progress: ConvertProgress;
  /** Current time in Unix milliseconds. */
  readonly now: number;
  /** Plan made from the HAR that `--login` specifies. */
  readonly login?: Plan;
}

/**
 * Converts access logs and traffic profiles into a plan. Throws InputError if they contain no
 * request to convert.
 */
export async function convertLog(task: LogTask): Promise<Conversion> {
  const { settings, now, login } = task;
  const sample = await sampleTraffic(task);
  const log = await observeLog(task);
  const options = { ...settings.plan, filters: log.filters, now, sample, login };
  return { converted: convertAccessLog(log.profile, options), log };
}

/** Maximum number of logs that are sampled. */
const MAX_SAMPLED = 8;

/** Samples the requests in the logs. Returns undefined if an input is a traffic profile. */
async function sampleTraffic(
  { inputs, settings: { reading } }: LogTask,
): Promise<TrafficSample | undefined> {
  if (inputs.some(({ kind }) => kind === "profile")) return undefined;
  // Limits the number of sampled logs, because the first bytes of each one stay in memory until the
  // log is read.
  const step = Math.ceil(inputs.length / MAX_SAMPLED);
  const logs = [];
  for (const { source } of inputs.filter((_, i) => i % step === 0)) {
    logs.push({ source, format: await readFormat(source, reading) });
  }
  // Builds new filters, because filters count what they drop.
  const sample = await sampleLogs(logs, buildFilters(reading.filterOptions ?? {}));
  return sample && { ...sample, isWhole: sample.isWhole && step === 1 };
}

/**
 * Reads the inputs, and serializes the traffic profile if `--profile` is given. Passes each request
 * that matches the filters to `collector`, if given. Throws InputError if no request is left.
 */
export async function observeLog(
  { inputs, settings: { plan, reading }, outputs, progress }: LogTask,
  collector?: LogCollector,
): Promise<ObservedLog> {
  // The HTML page shows statuses only if all inputs have them.
  const optional = plan.responses === undefined && outputs.html ? new Statuses() : undefined;
  const statuses = plan.responses?.seen ?? optional;
  const more = [collector, optional].filter((one) => one !== undefined);
  const zone = outputs.html && await findZone(inputs[0], reading);
  const read = await readLog(inputs, {
    ...reading,
    collectors: [...reading.collectors, ...more],
    optional,
    carries: outputs.profile !== undefined,
  }, progress);
  const { profile, filters, collectors, inputNotes } = read;
  const collected = () =>
    new Map(collectors.map((one) => [one.kind, { settings: one.settings, data: one.toJson() }]));
  return {
    profile,
    filters,
    inputNotes,
    statuses: collectors.find((one) => one === statuses) && statuses,
    zone,
    profileText: outputs.profile && serializeProfile(profile, filters, collected()),
  };
}

async function findZone({ source, kind }: Input, reading: Reading): Promise<string> {
  if (reading.timeZone !== undefined) return reading.timeZone;
  if (kind === "profile") return "UTC";
  return loggedZone(await source.peek(HEAD_BYTES), await readFormat(source, reading));
}

/**
 * Converts the HAR at `path`, which is given in addition to a log. Throws InputError if it cannot
 * be read.
 */
export async function convertSession(
  path: string,
  options: HarOptions,
  io: Io,
): Promise<Converted> {
  const recording = await readHarFile(path, io);
  // With a log, `--include` and `--exclude` select the requests of the log.
  return convertHar(
    recording,
    { ...options, include: [], exclude: [] },
    path === "-" ? "standard input" : path,
  );
}

/**
 * Converts the HAR at `path` into a plan that repeats the recorded session. The plan starts
 * sessions at the rate of the session's first request in the access logs. Throws InputError if an
 * input cannot be read, or if the logs do not contain that request.
 */
export async function convertAtLogRate(
  path: string,
  options: HarOptions,
  task: LogTask,
  io: Io,
): Promise<Conversion> {
  const recorded = await convertSession(path, options, io);
  const { method, target } = findEntryRequest(recorded);
  const entry = new EntryRequests(method, target);
  const log = await observeLog(task, entry);
  const { profile, filters } = log;
  const notes = readingNotes({ profile, filters, now: task.now });
  return { converted: harAtLogRate(recorded, entry, { ...task.settings.plan, notes }), log };
}

/**
 * Reads the logs once and returns the time window of length `ms` that `--busiest` keeps. Throws
 * UsageError if an option is invalid, or if an input can be read only once.
 */
export async function findBusiest(given: ConvertGiven, ms: number, io: Io): Promise<TimeWindow> {
  const { from, args: { positionals } } = given;
  if (positionals.includes("-")) {
    throw new UsageError("--busiest reads the log twice: give a file instead of standard input");
  }
  using line = progressLine(io.stderr);
  const { reading } = await logSettings(given);
  const kindOf = from === "accesslog" ? () => "accesslog" as const : inputKind;
  using opened = await openInputs(positionals, io.stdin, kindOf);
  if (opened.inputs.some(({ kind }) => kind === "har")) refuseOthers(given, "har");
  // A log without requests is an error of `readLog`.
  const { profile } = await readLog(opened.inputs, { ...reading, collectors: [] }, line.update);
  return busiestWindow(profile, Math.ceil(ms / 1_000))!;
}
