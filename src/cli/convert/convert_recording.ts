import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { openBytes } from "../../base/bytes/open_bytes.ts";
import { UsageError } from "../../base/errors.ts";
import { readingNotes } from "../../convert/accesslog/log_notes.ts";
import { convertHar } from "../../convert/from_har.ts";
import type { HarOptions } from "../../convert/har/har_options.ts";
import { findEntryRequest, harAtLogRate } from "../../convert/har_at_log_rate.ts";
import { EntryRequests } from "../../traffic/accesslog/collect/entry_requests.ts";
import { readHar } from "../../traffic/har/read_har.ts";
import type { Input } from "../input/open_inputs.ts";
import type { ConvertProgress } from "../output/progress_line.ts";
import { type LogTask, observeLog } from "./convert_log.ts";
import type { Conversion } from "./write_conversion.ts";

/**
 * Converts a HAR into a plan. If `verifies` is true, also runs the plan against a mock server that
 * replays the recorded responses, and adds a note for each problem. Throws UsageError if there are
 * several inputs, and InputError if the HAR cannot be read.
 */
export async function convertRecording(
  inputs: readonly Input[],
  options: HarOptions,
  progress: ConvertProgress,
  verifies: boolean,
): Promise<Conversion> {
  if (inputs.length > 1) {
    throw new UsageError(
      `a HAR file must be the only input, but ${inputs.length} inputs were given; convert one at a time`,
    );
  }
  const [{ source }] = inputs;
  const recording = await readHar(watched(source, progress), source.name);
  const converted = convertHar(recording, options, source.name);
  if (!verifies) return { converted };
  // Loaded only now, because other conversions do not need the engine.
  const { verifyConversion } = await import("./verify_conversion.ts");
  return { converted: await verifyConversion(converted, recording) };
}

async function* watched(source: ByteSource, progress: ConvertProgress): AsyncGenerator<Uint8Array> {
  for await (const chunk of source.chunks()) {
    progress(source.stored, source.size);
    yield chunk;
  }
}

/**
 * Converts the HAR at `path` into a plan that starts the recorded session at the rate of its first
 * request in the access logs. Throws InputError if an input cannot be read, or if the logs do not
 * contain that request.
 */
export async function convertAtLogRate(
  path: string,
  options: HarOptions,
  task: LogTask,
  stdin: () => ReadableStream<Uint8Array>,
): Promise<Conversion> {
  using source = await openBytes(path, stdin);
  const recording = await readHar(source.chunks(), source.name);
  const recorded = convertHar(recording, options, source.name);
  const { method, target } = findEntryRequest(recorded);
  const entry = new EntryRequests(method, target);
  const log = await observeLog(task, entry);
  const { plan, observation: { filters } } = task.options;
  const notes = readingNotes({ profile: log.profile, filters, now: task.now });
  return { converted: await harAtLogRate(recorded, entry, { ...plan, notes }), log };
}
