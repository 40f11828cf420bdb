import { type ByteSource, HEAD_BYTES } from "../../base/bytes/byte_source.ts";
import { InputError, UsageError } from "../../base/errors.ts";
import { formatThousands } from "../../base/format.ts";
import { readingNotes } from "../../convert/accesslog/reading_notes.ts";
import type { Converted } from "../../convert/converted.ts";
import { convertAccessLog } from "../../convert/from_accesslog.ts";
import { findEntryRequest, harAtLogRate } from "../../convert/har_at_log_rate.ts";
import { needsAction, type Note } from "../../convert/notes/notes.ts";
import { formatShard, type Shard } from "../../plan/partition.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { LogCollector } from "../../traffic/accesslog/collect/collector.ts";
import { buildFilters } from "../../traffic/accesslog/collect/filters.ts";
import { EntryRequests, Statuses } from "../../traffic/accesslog/collect/request_counts.ts";
import type { TrafficSample } from "../../traffic/accesslog/collect/traffic_sample.ts";
import { serializeProfile } from "../../traffic/accesslog/profile/parse_profile.ts";
import { busiestWindow, type TimeWindow } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { type Args, type Command, EXIT } from "../command/command.ts";
import { command } from "../command/options.ts";
import {
  CONVERT_OPTIONS,
  type ConvertGiven,
  harOptions,
  type LogSettings,
  logSettings,
  refuseOthers,
  withFaithful,
} from "../convert/convert_options.ts";
import {
  type Conversion,
  type ConvertOutputs,
  inputShard,
  type ObservedLog,
  openConvertOutputs,
  writeConversion,
} from "../convert/write_conversion.ts";
import { inputKind, kindOfName } from "../input/input_kind.ts";
import { type Input, isUrl, openInputs } from "../input/inputs.ts";
import { loggedZone, sampleLogs } from "../input/log_head.ts";
import { readFormat, type Reading, readLog } from "../input/read_log.ts";
import { type ConvertProgress, printNotes, progressLine } from "../output/messages.ts";
import type { Io } from "../system/io.ts";

export const convertCommand: Command = command({
  name: "convert",
  usage: "FILE... [OPTIONS]",
  takes: "files",
  expects: {
    what: "an access log or a HAR file to convert, or - for standard input",
    max: Infinity,
  },
  about: [
    "Reads an access log or a HAR file (plain, .gz or .zst) and writes a plan in YAML. Several log " +
    "files are read as one log. `-` is standard input. FILE may be a URL: https://…, or s3://BUCKET/KEY " +
    "for an object or for all objects whose key starts with KEY.",
    "Warnings on standard error list everything that was approximated or excluded, or that you must " +
    "complete. " +
    "Lines that start with `info` need no action.",
    "Exit codes: 0 the plan was written; 1 an input could not be converted, or an output could not " +
    "be written; 2 the command line is invalid; 3 a warning needs action (with --strict).",
  ],
  options: CONVERT_OPTIONS,
  needs: [],
  needsFor: { needs: ["net", "env"], applies: needsNetwork },
  examples: {
    "rehearse convert access.log -o plan.yaml":
      "Make a plan that sends the log's mix of requests at its average rate.",
    "rehearse convert access.log --faithful -o plan.yaml":
      "Replay the log: its visits with their URLs and pauses, at their recorded times.",
    "rehearse convert session.har -o plan.yaml":
      "Replay a browser session, with live tokens and ids instead of the recorded ones.",
  },
  run: runConvert,
});

async function runConvert(asGiven: ConvertGiven, io: Io): Promise<number> {
  const given = withFaithful(asGiven);
  const { positionals: paths } = given.args;
  const read = [given.har, given.again, given.login].filter((path) => path !== undefined);
  using outputs = openConvertOutputs(given, [...paths, ...read], io);
  using line = progressLine(io.stderr);
  const { busiest, logFormat, json } = given;
  const forced = given.from ?? (logFormat ?? json ? "accesslog" : undefined);
  const likely = forced ?? kindOfName(paths[0]);
  if (likely !== undefined) refuseOthers(given, likely);
  const window = busiest === undefined ? undefined : await findBusiest(given, busiest, io);
  const settings = await logSettings(given, window);
  const shard = inputShard(given);
  const kindOf = (source: ByteSource) => forced ?? inputKind(source);
  using opened = await openInputs(paths, io.stdin, kindOf, shard);
  const { inputs, repeated } = opened;
  const task = { inputs, settings, outputs, progress: line.update, now: io.now() };
  if (shard !== undefined) {
    const { text, inputNotes } = await profileShard(task, shard);
    line.clear();
    const notes = [...repeated, ...inputNotes];
    printNotes(notes, given.warnings, io);
    io.stderr.write(text);
    return given.strict && needsAction(notes) ? EXIT.STRICT : EXIT.OK;
  }
  const conversion = await convert(task, given, io);
  line.clear();
  return await writeConversion(conversion, repeated, outputs, given, io);
}

function needsNetwork(args: Args): boolean {
  return [...args.positionals, args.text("profile") ?? ""].some(isUrl) ||
    args.text("shard") === "auto";
}

async function profileShard(
  task: LogTask,
  shard: Shard,
): Promise<{ text: string; inputNotes: readonly Note[] }> {
  const { inputs } = task;
  const name = formatShard(shard);
  if (inputs.length === 0) {
    return { text: `shard ${name} has no inputs; no profile was written\n`, inputNotes: [] };
  }
  const other = inputs.find(({ kind }) => kind !== "accesslog");
  if (other !== undefined) {
    throw new InputError("--shard works only for access logs", { source: other.source.name });
  }
  const { profile, profileText, inputNotes } = await observeLog(task);
  await task.outputs.profile?.write(profileText!);
  const logs = inputs.length === 1 ? "1 log" : `${formatThousands(inputs.length)} logs`;
  const text = `shard ${name}: profiled ${formatThousands(profile.requests)} requests of ${logs}\n`;
  return { text, inputNotes };
}

async function convert(task: LogTask, given: ConvertGiven, io: Io): Promise<Conversion> {
  const { har, login } = given;
  const kind = task.inputs.some(({ kind }) => kind === "har") ? "har" : "accesslog";
  refuseOthers(given, kind);
  const options = harOptions(given);
  if (kind === "accesslog" && har === undefined && login === undefined) {
    return await convertLog(task);
  }
  // Loaded only for a HAR, because it loads everything that correlates.
  const { convertRecording, convertSession } = await import("../convert/convert_har.ts");
  if (har !== undefined) {
    return await convertAtLogRate(await convertSession(har, options, io), task);
  }
  if (kind === "har") return await convertRecording(task.inputs, given, task.progress, io);
  // `--checks` refers to the log.
  const { plan } = await convertSession(login!, { ...options, checks: undefined }, io);
  return await convertLog({ ...task, login: plan });
}

/** Access logs and traffic profiles to convert, and the settings and outputs of the conversion. */
interface LogTask {
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
async function convertLog(task: LogTask): Promise<Conversion> {
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
async function observeLog(
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
 * Returns a plan that repeats a recorded session. The plan starts sessions at the rate of the
 * session's first request in the access logs. Throws InputError if an input cannot be read, or if
 * the logs do not contain that request.
 */
async function convertAtLogRate(recorded: Converted, task: LogTask): Promise<Conversion> {
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
async function findBusiest(given: ConvertGiven, ms: number, io: Io): Promise<TimeWindow> {
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
