import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { UsageError } from "../../base/errors.ts";
import { plural } from "../../base/format.ts";
import { convertHar, type HarConversion } from "../../convert/from_har.ts";
import { withUploadFiles } from "../../convert/har/build_plan.ts";
import { recordedSecretHider } from "../../convert/har/secrets.ts";
import type { Note, NoteCode } from "../../convert/notes/notes.ts";
import { readHar } from "../../traffic/har/read_har.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import type { StaleValue } from "../../verify/findings.ts";
import type { PlanFault, Verification } from "../../verify/verify_plan.ts";
import { rejectOtherKinds } from "../input/input_kind.ts";
import { type Input, readHarFile } from "../input/inputs.ts";
import type { ConvertProgress } from "../output/messages.ts";
import { describeUnproven, hiddenFindings } from "../review/verification_text.ts";
import type { Io } from "../system/io.ts";
import { pathFromPlan } from "../input/read_documents.ts";
import { type ConvertGiven, harOptions } from "./convert_options.ts";
import type { Conversion } from "./write_conversion.ts";

/**
 * Number of users in a verification, and number of iterations per user. With two of each, the
 * verification shows whether the plan works repeatedly and for several users.
 */
const LOAD = { users: 2, iterations: 2 };

/**
 * Converts a HAR into a plan. With `--verify`, also runs the plan against a mock server that
 * replays the recorded responses, and adds a note for each problem. Throws UsageError if there are
 * several inputs, and InputError if the HAR cannot be read.
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
  let converted = convertHar(recording, { ...harOptions(given), second }, source.name);
  // The mock server accepts any file.
  const findings = given.verify ? await verifyConversion(converted, recording) : undefined;
  if (findings !== undefined) {
    const found = hiddenFindings(findings, recordedSecretHider(recording));
    converted = {
      ...converted,
      notes: [...converted.notes, ...verificationNotes(found)],
      summary: `${converted.summary}; verification: ${shortVerdict(found)}`,
    };
  }
  const page = given.html === undefined
    ? undefined
    : await reviewOf(converted, recording, findings);
  const files = given.file.map(({ field, path }) => ({
    field,
    path: pathFromPlan(given.output, path),
  }));
  const plan = withUploadFiles(converted.plan, files);
  return { converted: { ...converted, plan }, page };
}

async function reviewOf(
  converted: HarConversion,
  recording: Recording,
  findings?: Verification,
): Promise<string> {
  // Loaded only for `--html`.
  const { reviewPage } = await import("../../report/html/review_page.ts");
  const { conversionReview } = await import("../review/verification_review.ts");
  return await reviewPage(conversionReview(converted, recording, findings));
}

async function* watched(source: ByteSource, progress: ConvertProgress): AsyncGenerator<Uint8Array> {
  for await (const chunk of source.chunks()) {
    progress(source.stored, source.size);
    yield chunk;
  }
}

/** Returns findings that may contain the credentials of the recording. */
async function verifyConversion(
  { plan }: HarConversion,
  recording: Recording,
): Promise<Verification> {
  // Loaded only for `--verify`.
  const { verifyPlan } = await import("../../verify/verify_plan.ts");
  return await verifyPlan(plan, recording, {
    ...LOAD,
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
}

function shortVerdict(found: Verification): string {
  const { verdict } = found;
  if (verdict === "consistent") return "no stale values found";
  return verdict === "unproven"
    ? `no stale values found, but ${describeUnproven(found)}`
    : "failed";
}

/** Converts the problems that a verification found into warnings. */
export function verificationNotes(
  { stale, nothingFound, unsent, neverMade }: Verification,
): Note[] {
  const places = Map.groupBy(stale, ({ producer, value }) => JSON.stringify([producer, value]));
  return [
    ...[...places.values()].map(staleNote),
    ...nothingFound.map((fault) => faultNote("nothing-found", fault)),
    ...unsent.map((fault) => faultNote("unsent-request", fault)),
    ...omittedCalls(neverMade.map(({ call }) => call)),
  ];
}

function omittedCalls(calls: readonly string[]): Note[] {
  if (calls.length === 0) return [];
  return [{
    code: "call-not-made",
    subject: calls[0],
    message: `verification: the plan omits ${plural(calls.length, "recorded call")}`,
  }];
}

function staleNote(places: readonly StaleValue[]): Note {
  const [{ call, place, producer, extractor, write }] = places;
  const more = places.length > 1 ? ` and in ${plural(places.length - 1, "more place")}` : "";
  return {
    code: "stale-value",
    subject: extractor?.name ?? place,
    message: `verification: a value from the response to ${producer} is sent as recorded in ` +
      `${place} of ${call}${more}${
        extractor === undefined
          ? ""
          : `; add \`extract: [${JSON.stringify(extractor)}]\` to ${producer} ` +
            `and replace the value with \`${write}\``
      }`,
  };
}

function faultNote(
  code: NoteCode,
  { request, message }: PlanFault,
): Note {
  return { code, subject: request, message: `verification: ${message}` };
}
