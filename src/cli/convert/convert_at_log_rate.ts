import { openBytes } from "../../base/bytes/open_bytes.ts";
import { readingNotes } from "../../convert/accesslog/reading_notes.ts";
import type { Converted } from "../../convert/converted.ts";
import { convertHar } from "../../convert/from_har.ts";
import type { HarOptions } from "../../convert/har/har_options.ts";
import { findEntryRequest, harAtLogRate } from "../../convert/har_at_log_rate.ts";
import { EntryRequests } from "../../traffic/accesslog/collect/small_collectors.ts";
import { readHar } from "../../traffic/har/read_har.ts";
import { type LogTask, observeLog } from "./convert_log.ts";
import type { Conversion } from "./write_conversion.ts";
import { rejectOtherKinds } from "../input/input_kind.ts";

/**
 * Converts the HAR at `path`, which is given in addition to a log. Throws InputError if it cannot
 * be read.
 */
export async function convertSession(
  path: string,
  options: HarOptions,
  stdin: () => ReadableStream<Uint8Array>,
): Promise<Converted> {
  using source = await openBytes(path, stdin);
  await rejectOtherKinds(source);
  const recording = await readHar(source.chunks(), source.name);
  // With a log, `--include` and `--exclude` select the requests of the log.
  return convertHar(recording, { ...options, include: [], exclude: [] }, source.name);
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
  stdin: () => ReadableStream<Uint8Array>,
): Promise<Conversion> {
  const recorded = await convertSession(path, options, stdin);
  const { method, target } = findEntryRequest(recorded);
  const entry = new EntryRequests(method, target);
  const log = await observeLog(task, entry);
  const { plan } = task.options;
  const { profile, filters } = log;
  const notes = readingNotes({ profile, filters, now: task.now });
  return { converted: harAtLogRate(recorded, entry, { ...plan, notes }), log };
}
