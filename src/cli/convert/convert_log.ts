import { convertAccessLog } from "../../convert/from_accesslog.ts";
import type { LogCollector } from "../../traffic/accesslog/collect/collector.ts";
import { buildFilters } from "../../traffic/accesslog/collect/filters.ts";
import { Statuses } from "../../traffic/accesslog/collect/small_collectors.ts";
import type { TrafficSample } from "../../traffic/accesslog/collect/traffic_sample.ts";
import { serializeProfile } from "../../traffic/accesslog/profile/serialize_profile.ts";
import { loggedZone } from "../input/logged_zone.ts";
import type { Input } from "../input/open_inputs.ts";
import { readFormat, readLog } from "../input/read_log.ts";
import { sampleLogs } from "../input/sample_log.ts";
import type { ConvertProgress } from "../output/progress_line.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { LogOptions } from "./log_options.ts";
import type { Conversion, ConvertOutputs, ObservedLog } from "./write_conversion.ts";

/** Access logs and traffic profiles to convert, and the settings and outputs of the conversion. */
export interface LogTask {
  readonly inputs: readonly Input[];
  readonly options: LogOptions;
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
  const { options: { plan, observation }, now } = task;
  const sample = await sampleTraffic(task);
  const log = await observeLog(task);
  const { profile, filters } = log;
  const options = { ...plan, ...observation, filters, now, sample, login: task.login };
  return { converted: convertAccessLog(profile, options), log };
}

/** Maximum number of logs that are sampled. */
const MAX_SAMPLED = 8;

/** Samples the requests in the logs. Returns undefined if an input is a traffic profile. */
async function sampleTraffic(
  { inputs, options: { observation } }: LogTask,
): Promise<TrafficSample | undefined> {
  if (inputs.some(({ kind }) => kind === "profile")) return undefined;
  // Limits the number of sampled logs, because the first bytes of each one stay in memory until the
  // log is read.
  const step = Math.ceil(inputs.length / MAX_SAMPLED);
  const logs = [];
  for (const { source } of inputs.filter((_, i) => i % step === 0)) {
    logs.push({ source, format: await readFormat(source, observation) });
  }
  // Builds new filters, because filters count what they drop.
  const sample = await sampleLogs(logs, buildFilters(observation.filterOptions ?? {}));
  return sample && { ...sample, isWhole: sample.isWhole && step === 1 };
}

/**
 * Reads the inputs, and serializes the traffic profile if `--profile` is given. Passes each request
 * that matches the filters to `collector`, if given. Throws InputError if no request is left.
 */
export async function observeLog(
  { inputs, options: { observation }, outputs, progress }: LogTask,
  collector?: LogCollector,
): Promise<ObservedLog> {
  const required = observation.responses?.seen;
  const statuses = required ?? (outputs.html === undefined ? undefined : new Statuses());
  const more = [collector, required === undefined ? statuses : undefined]
    .filter((one) => one !== undefined);
  const reading = {
    ...observation,
    collectors: [...observation.collectors, ...more],
    ...(required === undefined && { optional: statuses }),
    carries: outputs.profile !== undefined,
  };
  const zone = outputs.html === undefined ? undefined : await findZone(inputs[0], observation);
  const { profile, filters, collectors, inputNotes } = await readLog(inputs, reading, progress);
  let profileText: string | undefined;
  if (outputs.profile !== undefined) {
    const collected = new Map(
      collectors.map((one) => [one.kind, { settings: one.settings, data: one.toJson() }]),
    );
    profileText = serializeProfile(profile, filters, collected);
  }
  const hasStatuses = statuses !== undefined && collectors.includes(statuses);
  return {
    profile,
    filters,
    inputNotes,
    ...(hasStatuses && { statuses }),
    ...(zone && { zone }),
    ...(profileText !== undefined && { profileText }),
  };
}

/** Returns the time zone in which to show the times of a log. */
async function findZone(
  { source, kind }: Input,
  { timeZone, formats }: LogOptions["observation"],
): Promise<string> {
  if (timeZone !== undefined) return timeZone;
  if (kind === "profile") return "UTC";
  return loggedZone(await source.peek(HEAD_BYTES), formats);
}

const HEAD_BYTES = 64 * 1024;
