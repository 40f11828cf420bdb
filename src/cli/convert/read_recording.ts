import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { UsageError } from "../../base/errors.ts";
import { readHar } from "../../traffic/har/read.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import type { Progress } from "../progress.ts";
import type { Input } from "./read_log.ts";

/** The recording in the only input. Throws UsageError when there are more, and InputError. */
export async function readRecording(
  inputs: readonly Input[],
  progress: Progress,
): Promise<Recording> {
  if (inputs.length > 1) {
    throw new UsageError(
      `a HAR file is converted by itself: ${inputs.length} inputs were given; convert one at a time`,
    );
  }
  const [{ source }] = inputs;
  return await readHar(watched(source, progress), source.name);
}

async function* watched(source: ByteSource, progress: Progress): AsyncGenerator<Uint8Array> {
  for await (const chunk of source.chunks()) {
    progress(source.stored, source.size);
    yield chunk;
  }
}
