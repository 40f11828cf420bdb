import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { UsageError } from "../../base/errors.ts";
import { convertHar, type HarConversion } from "../../convert/from_har.ts";
import type { HarOptions } from "../../convert/har/options.ts";
import { readHar } from "../../traffic/har/read.ts";
import type { Progress } from "../progress.ts";
import type { Input } from "./read_log.ts";

/** Converts the HAR in the only input. Throws UsageError when there are more, and InputError. */
export async function convertRecording(
  inputs: readonly Input[],
  options: HarOptions,
  progress: Progress,
): Promise<HarConversion> {
  if (inputs.length > 1) {
    throw new UsageError(
      `a HAR file is converted by itself: ${inputs.length} inputs were given; convert one at a time`,
    );
  }
  const [{ source }] = inputs;
  const recording = await readHar(watched(source, progress), source.name);
  return convertHar(recording, options, source.name);
}

async function* watched(source: ByteSource, progress: Progress): AsyncGenerator<Uint8Array> {
  for await (const chunk of source.chunks()) {
    progress(source.stored, source.size);
    yield chunk;
  }
}
