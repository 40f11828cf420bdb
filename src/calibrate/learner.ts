import { KnownPairs } from "../correlation/known_pairs.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { proposeForPair } from "../correlation/propose.ts";
import { call, type Expression } from "../plan/expressions/expression.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { alignResponses } from "../correlation/align.ts";
import { type CalibrationLog, quoteValue } from "./calibration_log.ts";
import { findCreator } from "./created_rows.ts";
import {
  collectionOf,
  type LearnablePair,
  needsName,
  type PairEvidence,
  selectLearnable,
} from "./learnable_pairs.ts";
import { holdsLiteral } from "./literal_edit.ts";
import type { LiveStep } from "./live_step.ts";
import {
  listSentValues,
  mayLackText,
  type RestoredResponse,
  restoreResponse,
  type SentValue,
  ValueOrigins,
} from "./lost_bodies.ts";
import type { PlanDraft, PlanPoint } from "./draft.ts";
import { extractVariable, type NewVariable } from "./extract_variable.ts";
import { type ExtractedValue, findExtractedValues } from "./extracted_values.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { ExtractedRepair } from "./repair.ts";
import { RowLearner } from "./row_learner.ts";
import type { UniqueTrials } from "./unique_trial.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";
import {
  extractValue,
  firstWorkingFor,
  type Sample,
  type TestedExtractor,
} from "../correlation/try_extractor.ts";

/** Finds server-generated values in live responses and makes the plan extract them. */
export class Learner {
  readonly #draft: PlanDraft;
  readonly #recorded: RecordedSide;
  readonly #rows: RowLearner;
  readonly #log: CalibrationLog;
  readonly #origins: ValueOrigins;
  /** Responses whose recorded text is lost, by the number of the request. */
  readonly #restored = new Map<number, RestoredResponse>();

  constructor(draft: PlanDraft, recorded: RecordedSide, rows: UniqueTrials, log: CalibrationLog) {
    this.#draft = draft;
    this.#rows = new RowLearner(draft, rows);
    this.#recorded = recorded;
    this.#log = log;
    this.#origins = new ValueOrigins(draft, recorded);
  }

  /**
   * Compares the live response to the call `index` with the recorded one. For each value that
   * differs, and whose recorded form a later request still sends, adds an extractor and makes later
   * requests send its variable instead. If the plan already extracts the value from this call, uses
   * that variable. Sets a new variable in `live` and in `others`, the steps of other users who got
   * a response to this call. If several list rows contain the string that would identify the user's
   * row, adds `${unique}` to this string.
   */
  learn(index: number, live: LiveStep, others: readonly LiveStep[]): ExtractedRepair[] {
    const step = this.#recorded.at(index);
    if (step === undefined) return [];
    const recorded = step.response;
    const collection = collectionOf(step.exchange.request.url);
    const evidence = this.#evidence(index, recorded, live.response, collection);
    const inRows = this.#rows.learn(index, evidence, live, others);
    const own = findExtractedValues(this.#draft.at(index), recorded, live);
    const pairs = [
      ...alignResponses(recorded, live.response, live.known),
      ...own.flatMap(({ pairs }) => pairs),
    ];
    const learnable = selectLearnable(pairs, evidence)
      .filter((found) => !this.#isFromCreator(index, found, live));
    return [
      ...inRows,
      ...learnable.flatMap((found) =>
        this.#reuse(index, found, own) ?? this.#repair(index, found, recorded, live, others)
      ),
      ...this.#learnLost(index, live, others),
    ];
  }

  /**
   * Returns the recorded response to the call `index`. If its text is lost, and a value that the
   * call returns is known, returns the response that the first live one suggests.
   */
  recordedAt(index: number): ResponseSnapshot | undefined {
    return this.#restored.get(index)?.recorded ?? this.#recorded.at(index)?.response;
  }

  /**
   * Learns from the live response to the call `index` if the recorded text is lost. Makes the call
   * extract the recorded values that later requests send and whose place is known.
   */
  #learnLost(index: number, live: LiveStep, others: readonly LiveStep[]): ExtractedRepair[] {
    if (!mayLackText(this.#recorded.at(index)!.exchange.response)) return [];
    let restored = this.#restored.get(index);
    if (restored === undefined) {
      const sent = listSentValues(index, this.#draft);
      const isSource = (one: SentValue) => this.#origins.maySend(index, one);
      restored = sent.length === 0 ? undefined : restoreResponse(sent, live.response, isSource);
      if (restored === undefined) return [];
      this.#restored.set(index, restored);
    }
    const { recorded, found } = restored;
    return found.flatMap((one) => this.#repair(index, one, recorded, live, others))
      .map((repair) => ({ ...repair, isRestored: true }));
  }

  /**
   * Reports whether a value must not be extracted from its position in a list, because an earlier
   * write created the list item and the response to that write is the right place to read the
   * value.
   */
  #isFromCreator(index: number, { pairs }: LearnablePair, { responseTo }: LiveStep): boolean {
    if (responseTo === undefined) return false;
    return pairs.every((pair) => {
      const creator = findCreator(pair, index, this.#draft, this.#recorded, responseTo);
      if (creator === undefined) return false;
      const { recorded, live } = pair;
      this.#log.add(
        index,
        `${quoteValue(recorded)} → ${quoteValue(live)} is not extracted: call ${creator + 1} ` +
          "created the row",
      );
      return true;
    });
  }

  /**
   * Makes later requests send a variable that the call `index` already extracts, instead of the
   * recorded value. Returns undefined if the call does not extract the value, or if the variable
   * may have a different value when a later request is sent.
   */
  #reuse(
    index: number,
    found: LearnablePair,
    own: readonly ExtractedValue[],
  ): ExtractedRepair[] | undefined {
    const texts = this.#draft.textsAfter(index, found.literal);
    if (texts.length === 0) return undefined;
    const value = own.find(({ pairs, extractor, numeric }) =>
      pairs.some((pair) => found.pairs.includes(pair)) &&
      (numeric || !texts.some((text) => text.numeric)) &&
      this.#keeps(index, extractor.name, found)
    );
    if (value === undefined) return undefined;
    const { extractor, numeric } = value;
    const variable = extractor.name;
    const expression: Expression = { kind: "variable", name: variable };
    const encoded = call("url_encode", expression);
    this.#draft.replaceAfter(index, found.literal, { expression, encoded, numeric });
    const { recorded, live } = found;
    return [{ variable, recorded, live, source: index, extractor }];
  }

  /**
   * Reports whether a variable that the call `index` extracts still has the same value when later
   * requests send it: only extractors set the variable, and every call that sets it before the last
   * of these requests extracts the same value from its recorded response.
   */
  #keeps(index: number, variable: string, { literal, recorded }: LearnablePair): boolean {
    if (this.#draft.sets(variable)) return false;
    const later = this.#draft.later(index);
    const last = this.#draft.isInMessageAfter(index, literal)
      ? Infinity
      : later.findLast((i) => holdsLiteral(this.#draft.at(i), literal)) ?? index;
    return later.filter((i) => i < last).every((i) =>
      (this.#draft.at(i).extract ?? []).every(({ name, ...extractor }) => {
        if (name !== variable) return true;
        const step = this.#recorded.at(i);
        return step !== undefined && extractor.type !== "xpath" &&
          leafText(extractValue(extractor, step.response)) === recorded;
      })
    );
  }

  /** Returns what shows whether values in a response or message must be extracted. */
  #evidence(
    point: PlanPoint,
    recorded: ResponseSnapshot,
    live: ResponseSnapshot,
    collection: string,
  ): PairEvidence {
    const index = typeof point === "number" ? point : this.#draft.requestBefore(point);
    return {
      collection,
      recorded,
      live,
      isSentLater: (literal) => this.#draft.isSentAfter(point, literal),
      // An earlier request may send the same number for another reason, but not the same word.
      isFromClient: (literal) =>
        literal.agrees !== undefined && /\d/.test(literal.value)
          ? this.#draft.isSentBefore(point, literal)
          : this.#draft.isSentBefore(point, literal, true) ||
            index !== undefined && this.#recorded.isSentUpTo(index, literal.value),
      refuse: (pair, reason) =>
        this.#log.add(
          index ?? 0,
          `${quoteValue(pair.recorded)} → ${quoteValue(pair.live)} is not extracted: ${reason}`,
        ),
    };
  }

  /**
   * Compares a WebSocket message that one user received with the recorded one, and makes the
   * `expect` step that reads it extract the values that differ and that are sent later. A number of
   * at most three digits is replaced only in members with the same name. Ignores other values that
   * are too generic, such as words.
   */
  learnMessage(step: Step, recorded: ResponseSnapshot, live: ResponseSnapshot): NewVariable[] {
    const evidence = this.#evidence(step, recorded, live, "");
    return selectLearnable(alignResponses(recorded, live, new KnownPairs()), evidence)
      .filter((found) => !needsName(found) || isNumbered(found))
      .flatMap((found) => {
        const expected: Sample[] = [[recorded, found.recorded], [live, found.live]];
        const tested = this.#test(step, found, expected);
        return tested === undefined ? [] : [extractVariable(this.#draft, step, found, tested)];
      });
  }

  #repair(
    index: number,
    found: LearnablePair,
    recorded: ResponseSnapshot,
    live: LiveStep,
    others: readonly LiveStep[],
  ): ExtractedRepair[] {
    const steps = [live, ...others];
    const expected: Sample[] = [
      [recorded, found.recorded],
      [live.response, found.live],
      ...others.map(({ response, known }): Sample => [
        response,
        alignResponses(recorded, response, known).find((pair) =>
          pair.recorded === found.recorded && pair.name === found.pairs[0].name
        )?.live ?? (needsName(found) ? undefined : known.liveOf(found.recorded)) ??
          found.recorded,
      ]),
    ];
    const tested = this.#test(index, found, expected);
    if (tested === undefined) return [];
    const added = extractVariable(this.#draft, index, found, tested);
    steps.forEach((step, i) => {
      step.set(added.variable, extractValue(tested.extractor, step.response));
      if (!needsName(found)) step.known.add(found.recorded, expected[i + 1][1]);
    });
    return [{ ...added, source: index }];
  }

  /** Returns an extractor that returns the expected values, unless nothing sends the value. */
  #test(
    point: PlanPoint,
    { recorded, live, pairs, literal }: LearnablePair,
    expected: readonly Sample[],
  ): TestedExtractor | undefined {
    const texts = this.#draft.textsAfter(point, literal);
    if (texts.length === 0) return undefined; // A longer value replaced all occurrences.
    const needsNumber = texts.some(({ numeric }) => numeric);
    const proposed = pairs.flatMap((pair) => [...proposeForPair(pair)]);
    const tested = firstWorkingFor(needsNumber, proposed, expected);
    if (tested === undefined) {
      const index = typeof point === "number" ? point : this.#draft.requestBefore(point) ?? 0;
      this.#log.add(
        index,
        `${quoteValue(recorded)} → ${quoteValue(live)}: no extractor returns both`,
      );
    }
    return tested;
  }
}

/** Reports whether both values of a named member are digits, as in a short id. */
function isNumbered({ recorded, live, pairs: [{ name }] }: LearnablePair): boolean {
  return name !== "" && /^\d+$/.test(recorded) && /^\d+$/.test(live);
}
