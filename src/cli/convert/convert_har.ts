import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { UsageError } from "../../base/errors.ts";
import { plural } from "../../base/format.ts";
import { convertHar, type HarConversion } from "../../convert/from_har.ts";
import { type UploadFile, withUploadFiles } from "../../convert/har/build_plan.ts";
import type { HarOptions } from "../../convert/har/facts.ts";
import { recordedSecretHider } from "../../convert/har/secrets.ts";
import type { Note, NoteCode } from "../../convert/notes/notes.ts";
import { readHar } from "../../traffic/har/read_har.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import type { StaleValue } from "../../verify/comparison.ts";
import type { PlanFault, Verification } from "../../verify/verification.ts";
import { rejectOtherKinds } from "../input/input_kind.ts";
import { type Input, readHarFile } from "../input/open_inputs.ts";
import type { ConvertProgress } from "../output/messages.ts";
import { describeUnproven, hiddenFindings } from "../review/verification_text.ts";
import type { Io } from "../system/io.ts";
import type { Conversion } from "./write_conversion.ts";

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
 * recording of the same session. Throws UsageError if there are several inputs, and InputError if
 * the HAR cannot be read.
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
  await rejectOtherKinds(source, "har");
  const recording = await readHar(watched(source, progress), source.name);
  const second = again === undefined ? undefined : await readHarFile(again, io);
  const converted = convertHar(recording, { ...options, second }, source.name);
  const withFiles = (one: HarConversion): HarConversion =>
    files.length === 0 ? one : { ...one, plan: withUploadFiles(one.plan, files) };
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

/**
 * Number of users in a verification, and number of iterations per user. With two of each, the
 * verification shows whether the plan works repeatedly and for several users.
 */
const LOAD = { users: 2, iterations: 2 };

/** A conversion whose plan was verified. */
interface VerifiedConversion {
  /**
   * The conversion with a note for each problem, and a summary that includes the result of the
   * verification.
   */
  readonly converted: HarConversion;
  /** Findings of the verification. May contain the recording's credentials. */
  readonly findings: Verification;
}

async function verifyConversion(
  conversion: HarConversion,
  recording: Recording,
): Promise<VerifiedConversion> {
  // Loaded only for `--verify`.
  const { verifyPlan } = await import("../../verify/verify_plan.ts");
  const findings = await verifyPlan(conversion.plan, recording, {
    ...LOAD,
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
  const found = hiddenFindings(findings, recordedSecretHider(recording));
  return {
    converted: {
      ...conversion,
      notes: [...conversion.notes, ...verificationNotes(found)],
      summary: `${conversion.summary}; verification: ${shortVerdict(found)}`,
    },
    findings,
  };
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
