import type { KnownPairs } from "../correlation/known_pairs.ts";
import { type CalibrationLog, quoteValue } from "./calibration_log.ts";
import type { DraftState, PlanDraft } from "./plan_draft.ts";
import type { UniqueRepair } from "./repair.ts";
import {
  makeUnique,
  type UniqueContext,
  uniqueTemplate,
  type UniqueText,
  uniqueTexts,
} from "./unique_texts.ts";

/** What the trials have to know about a refused request. */
export type RefusedRequest = Omit<UniqueContext, "isTaken">;

/** Maximum number of trials for one call. */
export const TRIALS_PER_CALL = 4;
/** Maximum total number of trials in a calibration. */
export const MOST_TRIALS = 8;

/**
 * A refused write request that is repeated several times. Each time, `${unique}` is added to
 * different strings of the request.
 */
interface Trial {
  readonly index: number;
  readonly before: DraftState;
  /** For each remaining attempt, all strings to which the attempt adds `${unique}`. */
  readonly candidates: UniqueText[][];
  current: UniqueText[];
}

/** Retries writes that the server refused, with `${unique}` added to their strings. */
export class UniqueTrials {
  readonly #draft: PlanDraft;
  readonly #log: CalibrationLog;
  #left = MOST_TRIALS;
  #trial: Trial | undefined;

  constructor(draft: PlanDraft, log: CalibrationLog) {
    this.#draft = draft;
    this.#log = log;
  }

  /**
   * Reports whether a refused write request contains a string to which `${unique}` can still be
   * added. Does not start a trial.
   */
  canStart(index: number, refused: RefusedRequest): boolean {
    return this.#left > 0 && this.#texts(index, refused).length > 0;
  }

  /** Starts trials for a refused write request. Returns false if nothing is left to try. */
  start(index: number, refused: RefusedRequest): boolean {
    const texts = this.#texts(index, refused);
    if (texts.length === 0) return false;
    // A user name and an e-mail address may both have to be unique.
    const singles = texts.slice(0, texts.length > 1 ? TRIALS_PER_CALL - 1 : 1).map((one) => [one]);
    const candidates = texts.length > 1 ? [...singles, texts] : singles;
    this.#trial = { index, before: this.#draft.save(), candidates, current: candidates[0] };
    return this.#next();
  }

  /**
   * Restores the strings of the current trial. Returns true if the write request must be repeated
   * with `${unique}` added to other strings.
   */
  reject(): boolean {
    const { index, before, current } = this.#trial!;
    this.#draft.restore(before);
    this.#log.add(
      index,
      `the server still refuses the request with text other than ${
        current.map(({ text }) => quoteValue(text)).join(", ")
      }`,
    );
    return this.#next();
  }

  /** Restores the strings of the current trial and ends the trials of its call. */
  abandon(): void {
    this.#draft.restore(this.#trial!.before);
    this.#trial = undefined;
  }

  /**
   * Keeps the `${unique}` that the current trial added, and ends the trial. Adds the recorded
   * strings, and the strings that were sent instead, to `known`. `unique` is the value of
   * `${unique}`.
   */
  accept(unique: string, known: KnownPairs): UniqueRepair[] {
    const { index, current } = this.#trial!;
    this.#trial = undefined;
    return current.map((one) => {
      if (one.expression.kind === "unique") {
        known.add(one.text, one.before + unique + one.after);
      }
      return {
        kind: "unique",
        recorded: one.text,
        template: uniqueTemplate(one),
        source: index,
      };
    });
  }

  #texts(index: number, refused: RefusedRequest): UniqueText[] {
    const isTaken = (name: string) => this.#draft.usesUuid(name);
    return uniqueTexts(this.#draft.at(index), { ...refused, isTaken }).slice(0, TRIALS_PER_CALL);
  }

  #next(): boolean {
    const trial = this.#trial!;
    const current = trial.candidates.shift();
    if (current === undefined || this.#left === 0) {
      this.#trial = undefined;
      return false;
    }
    this.#left--;
    trial.current = current;
    this.#draft.editScenario(trial.index, (request) => current.reduce(makeUnique, request));
    return true;
  }
}
