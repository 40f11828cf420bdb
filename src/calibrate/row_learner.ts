import { isNumber } from "../base/exact_number.ts";
import type { NamelessExtractor } from "../extract/extractors.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import {
  type LearnablePair,
  needsName,
  type PairEvidence,
  selectLearnable,
} from "./learnable_pairs.ts";
import type { LiveStep } from "./live_step.ts";
import type { PlanDraft } from "./draft.ts";
import type { ExtractedRepair } from "./repair.ts";
import { findRowPairs } from "./row_pairs.ts";
import type { RowText, UniqueTrials } from "./unique_trial.ts";
import { extractValue, withTransform } from "../correlation/try_extractor.ts";
import { extractVariable } from "./extract_variable.ts";

type RowExtractor = NamelessExtractor & { readonly row?: string };

/** Makes a plan extract values only from those rows of live lists that belong to the user. */
export class RowLearner {
  readonly #draft: PlanDraft;
  readonly #rows: UniqueTrials;

  constructor(draft: PlanDraft, rows: UniqueTrials) {
    this.#draft = draft;
    this.#rows = rows;
  }

  /**
   * Makes the plan extract values from rows of a list. Finds each row, regardless of its position,
   * by a string in it that the user typed into an earlier request.
   */
  learn(
    index: number,
    evidence: PairEvidence,
    live: LiveStep,
    others: readonly LiveStep[],
  ): ExtractedRepair[] {
    const { recorded } = evidence;
    const { text: body = "" } = recorded;
    const typed = this.#rows.typedBefore(index, (text) => body.includes(text));
    if (typed.length === 0) return [];
    const later = this.#draft.sentAfter(index).map((sent) => JSON.stringify(sent)).join("\n");
    return typed.flatMap(({ recorded: text, template }) => {
      const row: RowText = { recorded: text, live: live.known.liveOf(text) ?? text };
      const isWanted = (value: string) => later.includes(value);
      return findRowPairs(recorded, live.response, row, isWanted).flatMap(
        (found): ExtractedRepair[] => {
          const { pair, extractor, isAmbiguous } = found;
          const wanted = isAmbiguous ? { ...pair, live: `${pair.recorded}?` } : pair;
          if (wanted.live === wanted.recorded) return [];
          const [learnable] = selectLearnable([wanted], evidence);
          if (learnable === undefined) return [];
          if (!isAmbiguous) {
            return this.#repairRow(index, learnable, extractor, template, [live, ...others]);
          }
          this.#rows.makeRowUnique(index, template);
          return [];
        },
      );
    });
  }

  /**
   * Makes call number `index` extract a value from the list row that contains a given string.
   * `template` is the template that the plan sends for this string.
   */
  #repairRow(
    index: number,
    found: LearnablePair,
    { row: _, ...rest }: RowExtractor,
    template: string,
    steps: readonly LiveStep[],
  ): ExtractedRepair[] {
    const row = template;
    const textOf = (step: LiveStep) => this.#rows.rowOf(row, step)?.live;
    const plain = { ...rest, row } as NamelessExtractor;
    const isNumeric = isNumber(extractValue(plain, steps[0].response, textOf(steps[0])));
    const needsNumber = !isNumeric &&
      this.#draft.textsAfter(index, found.literal).some(({ numeric }) => numeric);
    const extractor = needsNumber ? withTransform(plain, "number") : plain;
    const numeric = isNumeric || needsNumber;
    const added = extractVariable(this.#draft, index, found, { extractor, numeric });
    for (const step of steps) {
      const value = extractValue(extractor, step.response, textOf(step));
      step.set(added.variable, value);
      const live = leafText(value);
      if (!needsName(found) && live !== undefined) step.known.add(found.recorded, live);
    }
    return [{ ...added, source: index }];
  }
}
