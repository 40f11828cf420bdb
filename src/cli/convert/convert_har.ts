import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { UsageError } from "../../base/errors.ts";
import type { Converted } from "../../convert/converted.ts";
import { convertHar, type HarConversion } from "../../convert/from_har.ts";
import { withUploadFiles } from "../../convert/har/build_plan.ts";
import type { HarOptions } from "../../convert/har/facts.ts";
import { readHar } from "../../traffic/har/read_har.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import { rejectOtherKinds } from "../input/input_kind.ts";
import { type Input, readHarFile } from "../input/inputs.ts";
import type { ConvertProgress } from "../output/messages.ts";
import type { Io } from "../system/io.ts";
import { pathFromPlan } from "../input/read_documents.ts";
import { type ConvertGiven, harOptions } from "./convert_options.ts";
import type { Conversion } from "./write_conversion.ts";

/**
 * Converts a HAR into a plan. Throws UsageError if there are several inputs, and InputError if the
 * HAR cannot be read.
 */
export async function convertRecording(
  inputs: readonly Input[],
  given: ConvertGiven,
  progress: ConvertProgress,
  io: Io,
): Promise<Conversion> {
  if (inputs.length > 1) {
    throw new UsageError(
      `a HAR file must be the only input, but ${inputs.length} inputs were given; convert one at a time`,
    );
  }
  const [{ source }] = inputs;
  await rejectOtherKinds(source, "har");
  const recording = await readHar(watched(source, progress), source.name);
  const second = given.again === undefined ? undefined : await readHarFile(given.again, io);
  const converted = convertHar(recording, { ...harOptions(given), second }, source.name);
  const page = given.html === undefined ? undefined : await reviewOf(converted, recording);
  const files = given.file.map(({ field, path }) => ({
    field,
    path: pathFromPlan(given.output, path),
  }));
  const plan = withUploadFiles(converted.plan, files);
  return { converted: { ...converted, plan }, page };
}

/**
 * Converts the HAR at `path`, which is given in addition to a log. Throws InputError if it cannot
 * be read.
 */
export async function convertSession(
  path: string,
  options: HarOptions,
  io: Io,
): Promise<Converted> {
  const recording = await readHarFile(path, io);
  // With a log, `--include` and `--exclude` select the requests of the log.
  return convertHar(
    recording,
    { ...options, include: [], exclude: [] },
    path === "-" ? "standard input" : path,
  );
}

async function reviewOf(converted: HarConversion, recording: Recording): Promise<string> {
  // Loaded only for `--html`.
  const { reviewPage } = await import("../../report/html/review_page.ts");
  const { conversionReview } = await import("../review/verification_review.ts");
  return await reviewPage(conversionReview(converted, recording));
}

async function* watched(source: ByteSource, progress: ConvertProgress): AsyncGenerator<Uint8Array> {
  for await (const chunk of source.chunks()) {
    progress(source.stored, source.size);
    yield chunk;
  }
}
