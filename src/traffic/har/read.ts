import { InputError } from "../../base/errors.ts";
import type { Recording } from "./recording.ts";
import { RecordingBuilder } from "./recording_builder.ts";
import { SplitError } from "./split_error.ts";
import { HarSplitter } from "./har_splitter.ts";

/**
 * Reads a HAR file (HTTP Archive 1.1 to 1.3, UTF-8) from a stream. Each entry is reduced to the
 * required fields when it is complete, so the file may be longer than the maximum length of a
 * string. Unusable entries are skipped and listed in `skipped`. Throws InputError with the position of
 * the error if the bytes are not JSON or not a HAR. `name` is the name of the input in error messages.
 */
export async function readHar(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: string,
): Promise<Recording> {
  const builder = new RecordingBuilder();
  const splitter = new HarSplitter((value) => builder.add(value));
  try {
    for await (const chunk of source) splitter.push(chunk);
    splitter.finish();
    return builder.recording();
  } catch (error) {
    if (!(error instanceof SplitError)) throw error;
    throw new InputError(`cannot read the HAR: ${error.message}`, {
      source: name,
      ...error.place,
    });
  }
}
