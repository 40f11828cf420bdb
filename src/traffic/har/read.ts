import { InputError } from "../../base/errors.ts";
import type { Recording } from "./recording.ts";
import { RecordingBuilder } from "./recording_builder.ts";
import { SplitError } from "./split_error.ts";
import { HarSplitter } from "./har_splitter.ts";

/**
 * Reads a HAR (HTTP Archive 1.1 to 1.3, UTF-8) as its bytes come in. Each entry is reduced to what
 * later steps use as soon as it is whole, so the file may be longer than a string can be. An entry that
 * cannot be used is skipped and told in the result. Throws InputError, with the place, when the bytes
 * are not JSON or the JSON is not a HAR. `name` is what the user calls the input.
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
