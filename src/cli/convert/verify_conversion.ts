import type { HarConversion } from "../../convert/from_har.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import { plural } from "../../base/format.ts";
import type { Verification } from "../../verify/result/verification.ts";
import { verifyPlan } from "../../verify/verify_plan.ts";
import { countDistinctValues } from "../verify/verification_text.ts";
import { verificationNotes } from "../verify/verification_notes.ts";

/** Two users with two iterations each reveal what works only once, or only for one user. */
const LOAD = { users: 2, iterations: 2 };

/** Verifies a conversion against its recording and adds a note for each finding. */
export async function verifyConversion(
  conversion: HarConversion,
  recording: Recording,
): Promise<HarConversion> {
  const found = await verifyPlan(conversion.plan, recording, {
    ...LOAD,
    readFile: () => new Uint8Array(),
    readEnv: () => undefined,
  });
  return {
    ...conversion,
    notes: [...conversion.notes, ...verificationNotes(found)],
    summary: `${conversion.summary}; verified: ${shortVerdict(found)}`,
  };
}

function shortVerdict({ verdict, unproven }: Verification): string {
  if (verdict === "failed") return "failed";
  const count = plural(countDistinctValues(unproven), "value");
  return verdict === "consistent"
    ? "nothing stale found"
    : `nothing stale found, ${count} unproven`;
}
