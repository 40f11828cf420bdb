import { convertAccessLog } from "../../convert/from_accesslog.ts";
import type { RequestCollector } from "../../traffic/accesslog/read/request_use.ts";
import type { Input } from "../input/open_inputs.ts";
import { readLog } from "../input/read_log.ts";
import type { ConvertProgress } from "../output/progress_line.ts";
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
}

/**
 * Converts access logs and traffic profiles into a plan. Throws InputError if they contain no
 * request to convert.
 */
export async function convertLog(task: LogTask): Promise<Conversion> {
  const { options: { plan, observation }, now } = task;
  const log = await observeLog(task);
  return { converted: await convertAccessLog(log.profile, { ...plan, ...observation, now }), log };
}

/**
 * Reads the inputs, and writes the traffic profile if `--profile` is given. Passes each request
 * that is left after filtering to `collector`, if given. Throws InputError if no request is left.
 */
export async function observeLog(
  { inputs, options: { observation }, outputs, progress }: LogTask,
  collector?: RequestCollector,
): Promise<ObservedLog> {
  const isCounted = outputs.html !== undefined &&
    inputs.every(({ kind }) => kind === "accesslog");
  const statuses = isCounted
    ? new (await import("../../traffic/accesslog/collect/status_counts.ts")).StatusCounts()
    : undefined;
  const more = [collector, statuses].filter((one) => one !== undefined);
  const collectors = [...observation.collectors, ...more];
  const profile = await readLog(inputs, { ...observation, collectors }, progress);
  if (outputs.profile !== undefined) {
    const { serializeProfile } = await import(
      "../../traffic/accesslog/profile/serialize_profile.ts"
    );
    outputs.profile.write(serializeProfile(profile));
  }
  return { profile, ...(statuses && { statuses }) };
}
