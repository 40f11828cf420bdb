import { plural } from "../../base/format.ts";
import type { HarConversion } from "../../convert/from_har.ts";
import type { VerificationNote } from "../../convert/notes/note.ts";
import type { VerificationNoteCode } from "../../convert/notes/note_codes.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import type { StaleValue } from "../../verify/comparison.ts";
import type { PlanFault, Verification } from "../../verify/verification.ts";
import { verifyPlan } from "../../verify/verify_plan.ts";
import { recordedSecretHider } from "../../convert/har/hide_secrets.ts";
import { hiddenFindings } from "../verify/hidden_findings.ts";
import { describeUnproven } from "../verify/verification_text.ts";

/**
 * Number of users in a verification, and number of iterations per user. With two of each, the
 * verification shows whether the plan works repeatedly and for several users.
 */
const LOAD = { users: 2, iterations: 2 };

/** A conversion whose plan was verified. */
export interface VerifiedConversion {
  /**
   * The conversion with a note for each problem, and a summary that includes the result of the
   * verification.
   */
  readonly converted: HarConversion;
  /** Findings of the verification. May contain the recording's credentials. */
  readonly findings: Verification;
}

/** Verifies a converted plan against its recording. */
export async function verifyConversion(
  conversion: HarConversion,
  recording: Recording,
): Promise<VerifiedConversion> {
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
): VerificationNote[] {
  const places = Map.groupBy(stale, ({ producer, value }) => JSON.stringify([producer, value]));
  return [
    ...[...places.values()].map(staleNote),
    ...nothingFound.map((fault) => faultNote("nothing-found", fault)),
    ...unsent.map((fault) => faultNote("unsent-request", fault)),
    ...omittedCalls(neverMade.map(({ call }) => call)),
  ];
}

function omittedCalls(calls: readonly string[]): VerificationNote[] {
  if (calls.length === 0) return [];
  return [{
    code: "call-not-made",
    subject: calls[0],
    message: `verification: the plan omits ${plural(calls.length, "recorded call")}`,
  }];
}

function staleNote(places: readonly StaleValue[]): VerificationNote {
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
  code: VerificationNoteCode,
  { request, message }: PlanFault,
): VerificationNote {
  return { code, subject: request, message: `verification: ${message}` };
}
