import { convertHar } from "../../src/convert/from_har.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import type { RequestField } from "../../src/traffic/session/request_field.ts";
import { isRelevant } from "../../src/outcome/compare_requests.ts";
import type { Verification } from "../../src/verify/verification.ts";
import { verified } from "../../tests/support/verified.ts";
import type { LabelledRecording } from "../../tests/support/labelled.ts";
import { evaluatePlan } from "./evaluate_plan.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import type { LabelledModel } from "./score_models.ts";

/** Results of running `verify` on the mutants of a recording's plan. */
export interface MutationScore {
  readonly name: string;
  /** Number of mutants in which `verify` reports the value as stale. */
  stale: number;
  /**
   * Number of mutants in which `verify` reports the value as unproven (the recording does not show
   * whether it is right), but not as stale.
   */
  unproven: number;
  /** Variable and recorded value of each mutant that `verify` does not report. */
  readonly missed: string[];
  /**
   * Variable and recorded value of each extraction that is not needed, because the plan sends the
   * same data to a fresh server without it, or because the value has no label. Such extractions do
   * not count as mutants.
   */
  readonly needless: string[];
}

/**
 * Replaces each extraction of a labelled value in a plan with the recorded value, one at a time,
 * and verifies the resulting mutants. A mutant counts as reported if `verify` lists a value that it
 * does not list for the original plan.
 */
export async function scoreMutants(
  labelled: LabelledModel | LabelledRecording,
): Promise<MutationScore> {
  const { name, recording } = labelled;
  const { plan } = convertHar(recording, {});
  const isDynamic = "fresh" in labelled
    ? changesOnFreshServer(plan, labelled)
    : isLabelled(labelled);
  const known = await reported(plan, recording);
  const score: MutationScore = { name, stale: 0, unproven: 0, missed: [], needless: [] };
  for (const mutant of mutantsOf(recording)) {
    const title = `${mutant.name} (${mutant.value})`;
    if (!isDynamic(mutant)) {
      score.needless.push(title);
      continue;
    }
    const found = await reported(mutant.plan, recording);
    if (found.stale.difference(known.stale).size > 0) score.stale++;
    else if (found.unproven.difference(known.unproven).size > 0) score.unproven++;
    else score.missed.push(title);
  }
  return score;
}

/**
 * Returns a function that reports whether a mutant sends different data to a fresh server than
 * `plan` does. Headers that depend only on the browser, such as `Referer`, do not count.
 */
function changesOnFreshServer(plan: Plan, { fresh }: LabelledModel): (mutant: Mutant) => boolean {
  const textsOf = (sent: Plan) =>
    JSON.stringify(
      evaluatePlan(sent, fresh).map(({ fields }) =>
        fields.filter(isChecked).map(({ value }) => value)
      ),
    );
  const right = textsOf(plan);
  return (mutant) => textsOf(mutant.plan) !== right;
}

function isChecked({ kind, name }: RequestField): boolean {
  return kind !== "header" || isRelevant(`header ${name.toLowerCase()}`);
}

/**
 * Returns a function that reports whether the labels of a recording contain the value of a mutant.
 */
function isLabelled({ labels }: LabelledRecording): (mutant: Mutant) => boolean {
  const values = new Set(
    labels.filter(({ correlate, option }) => correlate || option !== undefined)
      .map(({ value }) => String(value)),
  );
  return ({ value }) => values.has(value);
}

/** Values that `verify` reports, each with the call and the part of the request that sends it. */
interface Reported {
  readonly stale: ReadonlySet<string>;
  readonly unproven: ReadonlySet<string>;
}

async function reported(plan: Plan, recording: Recording): Promise<Reported> {
  const { stale, unproven } = await verified(plan, recording);
  return { stale: keysOf(stale), unproven: keysOf(unproven) };
}

function keysOf(list: Verification["stale"] | Verification["unproven"]): Set<string> {
  return new Set(list.map(({ call, place, value }) => JSON.stringify([call, place, value])));
}
