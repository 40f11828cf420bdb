import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { openBytes } from "../../base/bytes/open_bytes.ts";
import { UsageError } from "../../base/errors.ts";
import type { Converted } from "../../convert/converted.ts";
import { convertHar, type HarConversion } from "../../convert/from_har.ts";
import { findEntryRequest, harAtLogRate } from "../../convert/har_at_log_rate.ts";
import type { HarOptions } from "../../convert/har/har_options.ts";
import { EntryRequests } from "../../traffic/accesslog/collect/entry_requests.ts";
import { readHar } from "../../traffic/har/read.ts";
import type { ConvertProgress } from "../output/progress_line.ts";
import type { Input } from "../input/open_inputs.ts";

/**
 * Converts a single HAR input into a plan. If `verifies` is true, also verifies the plan against
 * the HAR. Throws UsageError if there are several inputs, and InputError if the HAR cannot be read.
 */
export async function convertRecording(
  inputs: readonly Input[],
  options: HarOptions,
  progress: ConvertProgress,
  verifies: boolean,
): Promise<HarConversion> {
  if (inputs.length > 1) {
    throw new UsageError(
      `a HAR file must be the only input, but ${inputs.length} were given; convert one at a time`,
    );
  }
  const [{ source }] = inputs;
  const recording = await readHar(watched(source, progress), source.name);
  const conversion = convertHar(recording, options, source.name);
  if (!verifies) return conversion;
  // Loaded only now: other conversions do not need the engine.
  const { verifyConversion } = await import("./verify_conversion.ts");
  return await verifyConversion(conversion, recording);
}

async function* watched(source: ByteSource, progress: ConvertProgress): AsyncGenerator<Uint8Array> {
  for await (const chunk of source.chunks()) {
    progress(source.stored, source.size);
    yield chunk;
  }
}

/**
 * Converts the HAR at `path` for a plan that takes its load from an access log. Pass `entry` to the
 * log reader: it collects the log's requests that match the first request of the HAR. Call `plan`
 * after the log has been read to create the plan. Throws InputError if the HAR cannot be read.
 */
export async function recordingForLog(
  path: string,
  options: HarOptions,
  stdin: () => ReadableStream<Uint8Array>,
): Promise<{
  readonly entry: EntryRequests;
  readonly plan: (options: Parameters<typeof harAtLogRate>[2]) => Converted;
}> {
  using source = await openBytes(path, stdin);
  const har = convertHar(await readHar(source.chunks(), source.name), options, source.name);
  const { method, target } = findEntryRequest(har);
  const entry = new EntryRequests(method, target);
  return { entry, plan: (options) => harAtLogRate(har, entry, options) };
}
