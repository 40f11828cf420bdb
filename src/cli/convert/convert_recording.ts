import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { UsageError } from "../../base/errors.ts";
import { convertHar, type HarConversion } from "../../convert/from_har.ts";
import type { HarOptions } from "../../convert/har/facts.ts";
import { type UploadFile, withUploadFiles } from "../../convert/har/upload_files.ts";
import { reviewPage } from "../../report/html/review_page.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import { readHar } from "../../traffic/har/read_har.ts";
import type { Verification } from "../../verify/verification.ts";
import { type Input, readHarFile } from "../input/open_inputs.ts";
import type { ConvertProgress } from "../output/print_notes.ts";
import type { Io } from "../system/io.ts";
import { conversionReview } from "./conversion_review.ts";
import { verifyConversion } from "./verify_conversion.ts";
import type { Conversion } from "./write_conversion.ts";
import { rejectOtherKinds } from "../input/input_kind.ts";

/** Tasks of `convertRecording` in addition to the conversion. */
export interface RecordingTasks {
  /** True to run the plan against a mock server, and to add a note for each problem. */
  readonly verifies: boolean;
  /** True to create the review page. */
  readonly reviews: boolean;
  readonly again: string | undefined;
  /** Files to send, with paths relative to the plan. */
  readonly files: readonly UploadFile[];
  readonly io: Io;
}

/**
 * Converts a HAR into a plan. If `verifies` is true, also runs the plan against a mock server that
 * replays the recorded responses, and adds a note for each problem. `again` is the path of a second
 * recording of the same session. Throws UsageError if there are
 * several inputs, and InputError if the HAR cannot be read.
 */
export async function convertRecording(
  inputs: readonly Input[],
  options: HarOptions,
  progress: ConvertProgress,
  { verifies, reviews, again, files, io }: RecordingTasks,
): Promise<Conversion> {
  if (inputs.length > 1) {
    throw new UsageError(
      `a HAR file must be the only input, but ${inputs.length} inputs were given; convert one at a time`,
    );
  }
  const [{ source }] = inputs;
  await rejectOtherKinds(source);
  const recording = await readHar(watched(source, progress), source.name);
  const second = again === undefined ? undefined : await readHarFile(again, io);
  const converted = convertHar(recording, { ...options, second }, source.name);
  const withFiles = (one: HarConversion): HarConversion => (
    { ...one, plan: withUploadFiles(one.plan, files) }
  );
  if (!verifies) {
    const shown = withFiles(converted);
    return { converted: shown, ...(reviews && { page: await page(shown, recording) }) };
  }
  // The mock server accepts any file.
  const verified = await verifyConversion(converted, recording);
  return {
    converted: withFiles(verified.converted),
    ...(reviews && { page: await page(verified.converted, recording, verified.findings) }),
  };
}

async function page(
  converted: HarConversion,
  recording: Recording,
  findings?: Verification,
): Promise<string> {
  return await reviewPage(conversionReview(converted, recording, findings));
}

async function* watched(source: ByteSource, progress: ConvertProgress): AsyncGenerator<Uint8Array> {
  for await (const chunk of source.chunks()) {
    progress(source.stored, source.size);
    yield chunk;
  }
}
