import { alignResponses } from "../../correlation/align.ts";
import type { ValuePair } from "../../correlation/value_pair.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import type { LearnablePair } from "../learnable_pairs.ts";
import type { Learner } from "../learner.ts";
import type { LiveStep } from "../live_step.ts";
import type { RecordedSide } from "../recorded_side.ts";
import type { ExtractedRepair } from "../repair.ts";
import { differingFields } from "../sent_pairs.ts";

/**
 * Finds the responses from which requests take values that differ between two recordings. If a
 * response and a later request differ between the recordings in the same way, the request probably
 * takes the value from the response. This is evidence even for values that are not distinctive,
 * such as `41`.
 */
export class ResponseSources {
  readonly #recorded: RecordedSide;
  readonly #live: RecordedSide;
  readonly #learner: Learner;
  readonly #steps: { readonly index: number; readonly step: LiveStep; pairs?: ValuePair[] }[] = [];

  constructor(recorded: RecordedSide, live: RecordedSide, learner: Learner) {
    this.#recorded = recorded;
    this.#live = live;
    this.#learner = learner;
  }

  /** Adds a response from which later requests may take values. */
  add(index: number, step: LiveStep): void {
    this.#steps.push({ index, step });
  }

  /**
   * Makes the plan extract the value of a field from the first call whose recorded response
   * contains the recorded value, and whose live response contains `live` at the same place. Returns
   * the repairs, or an empty list if there is no such call.
   */
  extract(field: RequestField, live: string): ExtractedRepair[] {
    if (!this.#isAlwaysSentAs(field, live)) return [];
    for (const one of this.#steps) {
      one.pairs ??= alignResponses(
        this.#recorded.at(one.index)!.response,
        one.step.response,
        one.step.known,
      );
      const pairs = one.pairs.filter((pair) => pair.recorded === field.value && pair.live === live);
      if (pairs.length === 0) continue;
      const repairs = this.#learner.learnFound(
        one.index,
        this.#found(field, live, pairs),
        one.step,
      );
      if (repairs.length > 0) return repairs;
    }
    return [];
  }

  #found(field: RequestField, live: string, pairs: readonly ValuePair[]): LearnablePair {
    const agrees = (text: { readonly name: string; readonly kind: string }) =>
      field.kind === "path" ? text.kind === "path" : text.name === field.name;
    return { recorded: field.value, live, pairs, literal: { value: field.value, agrees } };
  }

  /**
   * Reports whether the second recording sends `live` in all fields that have the same kind, name
   * and recorded value as `field`.
   */
  #isAlwaysSentAs(field: RequestField, live: string): boolean {
    for (const index of this.#recorded.indexes) {
      const [step, liveStep] = [this.#recorded.at(index), this.#live.at(index)];
      if (step === undefined || liveStep === undefined) continue;
      const isSame = (one: RequestField) =>
        one.kind === field.kind && one.name === field.name && one.value === field.value;
      const sent = step.call.fields.filter(isSame).length;
      if (sent === 0) continue;
      const differing = differingFields(step.call, liveStep.call).filter((one) =>
        isSame(one.field) && one.live === live
      );
      if (differing.length !== sent) return false;
    }
    return true;
  }
}
