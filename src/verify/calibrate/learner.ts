import type { RequestText } from "../../plan/request_texts.ts";
import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import { call, type Expression } from "../../plan/expressions/expression.ts";
import type { NamelessExtractor } from "../../extract/compile_now.ts";
import { leafText } from "../../traffic/session/json_tree.ts";
import { isNumber } from "../../base/exact_number.ts";
import { alignResponses } from "../../traffic/compare/align_responses.ts";
import { type CalibrationLog, quoteValue } from "./calibration_log.ts";
import { findCreator } from "./created_rows.ts";
import {
  collectionOf,
  type LearnablePair,
  type PairEvidence,
  selectLearnable,
} from "./learnable_pairs.ts";
import { holdsLiteral } from "./literal_edit.ts";
import type { PlanDraft } from "./plan_draft.ts";
import { type ExtractedValue, findExtractedValues } from "./extracted_values.ts";
import { proposeExtractors } from "./proposed_extractors.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { ExtractedRepair, Repair } from "./repair.ts";
import { findRowPairs } from "./row_pairs.ts";
import type { RowText, RowTexts, SentTexts } from "./row_texts.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";
import {
  type ExpectedValue,
  extractValue,
  firstWorking,
  type TestedExtractor,
} from "./tested_extractor.ts";

/** A live response to a call, in one iteration of one user. */
export interface LiveStep extends SentTexts {
  readonly response: ResponseSnapshot;
  /**
   * Returns the live response to an earlier call of the same iteration, if it is evidence. Absent if
   * every response is.
   */
  readonly responseTo?: (index: number) => ResponseSnapshot | undefined;
  /** Sets a variable of the user. */
  set(variable: string, value: unknown): void;
}

type RowExtractor = NamelessExtractor & { readonly row?: string };

/** Finds server-generated values in live responses and makes the plan extract them. */
export class Learner {
  readonly #draft: PlanDraft;
  readonly #recorded: RecordedSide;
  readonly #rows: RowTexts;
  readonly #log: CalibrationLog;
  /** Requests of the plan before calibration, which still contain the recorded literals. */
  readonly #original: readonly ReturnType<PlanDraft["at"]>[];

  constructor(draft: PlanDraft, recorded: RecordedSide, rows: RowTexts, log: CalibrationLog) {
    this.#draft = draft;
    this.#rows = rows;
    this.#recorded = recorded;
    this.#log = log;
    this.#original = Array.from({ length: draft.size }, (_, index) => draft.at(index));
  }

  /**
   * Compares the live response to the call `index` with the recorded one. For each value that
   * differs, and whose recorded form a later request still sends, adds an extractor and sends its
   * variable instead. If the plan already extracts the value from this call, sends that variable.
   * Sets a new variable in `live` and in `others`, the steps of other users who got a response to
   * this call. If several list rows contain the string that would identify the user's row, adds
   * `${unique}` to this string.
   */
  learn(index: number, live: LiveStep, others: readonly LiveStep[]): Repair[] {
    const step = this.#recorded.at(index);
    if (step === undefined) return [];
    const recorded = step.response;
    const evidence: PairEvidence = {
      collection: collectionOf(step.exchange.request.url),
      recorded,
      live: live.response,
      isSentLater: (literal) => this.#draft.isSentAfter(index, literal),
      isFromClient: (literal) =>
        this.#draft.isInMessageBefore(index, literal) ||
        (literal.agrees === undefined
          ? this.#recorded.isSentUpTo(index, literal.value)
          // An earlier request may send the same number for another reason, but not the same word.
          : !/\d/.test(literal.value) && this.#recorded.isFieldUpTo(index, literal.value) ||
            this.#original.some((request, i) =>
              i <= index && this.#draft.areTogether(i, index) && holdsLiteral(request, literal)
            )),
      refuse: (pair, reason) =>
        this.#log.add(
          index,
          `${quoteValue(pair.recorded)} → ${quoteValue(pair.live)} does not count: ${reason}`,
        ),
    };
    const inRows = this.#learnRows(index, evidence, live, others);
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
    ];
  }

  /**
   * Reports whether a value only has a position in a list, although the response to an earlier
   * write, which created the row, is the right place to read it.
   */
  #isFromCreator(index: number, { pairs }: LearnablePair, { responseTo }: LiveStep): boolean {
    if (responseTo === undefined) return false;
    return pairs.every((pair) => {
      const creator = findCreator(pair, index, this.#draft, this.#recorded, responseTo);
      if (creator === undefined) return false;
      const { recorded, live } = pair;
      this.#log.add(
        index,
        `${quoteValue(recorded)} → ${quoteValue(live)} does not count: call ${creator + 1} ` +
          "created the row",
      );
      return true;
    });
  }

  /**
   * Makes later requests send a variable that the call `index` already extracts, instead of its
   * recorded value. Returns undefined if the call does not extract the value, or if the variable
   * may have a different value when a later request is sent.
   */
  #reuse(
    index: number,
    found: LearnablePair,
    own: readonly ExtractedValue[],
  ): ExtractedRepair[] | undefined {
    const texts = this.#laterTexts(index, found);
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
    return [{ kind: "extracted", variable, recorded, live, source: index, extractor }];
  }

  /**
   * Reports whether a variable that the call `index` extracts still has the same value when later
   * requests send it: only extractors set the variable, and every call that sets it before the last
   * of these requests extracts the same value from its recorded response.
   */
  #keeps(index: number, variable: string, { literal, recorded }: LearnablePair): boolean {
    if (this.#draft.names.has(variable)) return false;
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

  /**
   * Makes the plan extract values from rows of a list. Finds each row, regardless of its position,
   * by a string in it that the user typed into an earlier request.
   */
  #learnRows(
    index: number,
    evidence: PairEvidence,
    live: LiveStep,
    others: readonly LiveStep[],
  ): Repair[] {
    const { recorded } = evidence;
    const { text: body = "" } = recorded;
    const typed = this.#rows.typedBefore(index, (text) => body.includes(text));
    if (typed.length === 0) return [];
    const later = this.#draft.sentAfter(index).map((sent) => JSON.stringify(sent)).join("\n");
    return typed.flatMap(({ recorded: text, template }) => {
      const row: RowText = { recorded: text, live: live.known.liveOf(text) ?? text };
      const isWanted = (value: string) => later.includes(value);
      return findRowPairs(recorded, live.response, row, isWanted).flatMap((found): Repair[] => {
        const { pair, extractor, isAmbiguous } = found;
        const wanted = isAmbiguous ? { ...pair, live: `${pair.recorded}?` } : pair;
        if (wanted.live === wanted.recorded) return [];
        const [learnable] = selectLearnable([wanted], evidence);
        if (learnable === undefined) return [];
        if (!isAmbiguous) {
          return this.#repairRow(index, learnable, extractor, template, [live, ...others]);
        }
        const repair = this.#rows.makeUnique(index, template);
        return repair === undefined ? [] : [repair];
      });
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
  ): Repair[] {
    const texts = this.#laterTexts(index, found);
    const name = this.#draft.unusedName(variableNameFor(found, this.#laterTexts(index, found)));
    const row = template;
    const [{ response }] = steps;
    const textOf = (step: LiveStep) => this.#rows.textOf(row, step)?.live;
    const plain = { ...rest, row } as NamelessExtractor;
    const isNumeric = isNumber(extractValue(plain, response, textOf(steps[0])));
    const needsNumber = !isNumeric && texts.some(({ numeric }) => numeric);
    const extractor = needsNumber ? withTransform(plain, "number") : plain;
    const { type, ...options } = extractor;
    const expression: Expression = { kind: "variable", name };
    const written = { type, name, ...options } as Extractor;
    this.#draft.extract(index, written, found.literal, {
      expression,
      encoded: call("url_encode", expression),
      numeric: isNumeric || needsNumber,
    });
    for (const step of steps) {
      const value = extractValue(extractor, step.response, textOf(step));
      step.set(name, value);
      const live = leafText(value);
      if (!isWeak(found) && live !== undefined) step.known.add(found.recorded, live);
    }
    return [{
      kind: "extracted",
      variable: name,
      recorded: found.recorded,
      live: found.live,
      source: index,
      extractor: written,
    }];
  }

  /**
   * Makes the call `index` extract a value that is known to be generated. Uses the new variable in
   * all later requests that send the recorded value. Returns an empty list if no extractor returns
   * both the recorded and the live value.
   */
  learnFound(index: number, found: LearnablePair, live: LiveStep): ExtractedRepair[] {
    const step = this.#recorded.at(index);
    return step === undefined ? [] : this.#repair(index, found, step.response, live, []);
  }

  #repair(
    index: number,
    found: LearnablePair,
    recorded: ResponseSnapshot,
    live: LiveStep,
    others: readonly LiveStep[],
  ): ExtractedRepair[] {
    // A longer value may have replaced all occurrences.
    if (!this.#draft.isSentAfter(index, found.literal)) return [];
    const steps = [live, ...others];
    const expected: ExpectedValue[] = [
      { response: recorded, value: found.recorded },
      { response: live.response, value: found.live },
      ...others.map(({ response, known }) => ({
        response,
        value:
          alignResponses(recorded, response, known).find((pair) =>
            pair.recorded === found.recorded && pair.name === found.pairs[0].name
          )?.live ?? (isWeak(found) ? undefined : known.liveOf(found.recorded)) ?? found.recorded,
      })),
    ];
    const tested = this.#test(index, found, recorded, live.response, expected);
    if (tested === undefined) {
      this.#log.add(
        index,
        `${quoteValue(found.recorded)} → ${quoteValue(found.live)}: no extractor returns both`,
      );
      return [];
    }
    const name = this.#draft.unusedName(variableNameFor(found, this.#laterTexts(index, found)));
    const { type, ...rest } = tested.extractor;
    const extractor = { type, name, ...rest } as Extractor;
    const expression: Expression = { kind: "variable", name };
    this.#draft.extract(index, extractor, found.literal, {
      expression,
      encoded: call("url_encode", expression),
      numeric: tested.numeric,
    });
    steps.forEach((step, i) => {
      step.set(name, extractValue(tested.extractor, step.response));
      if (!isWeak(found)) step.known.add(found.recorded, expected[i + 1].value);
    });
    return [{
      kind: "extracted",
      variable: name,
      recorded: found.recorded,
      live: found.live,
      source: index,
      extractor,
    }];
  }

  #test(
    index: number,
    found: LearnablePair,
    recorded: ResponseSnapshot,
    live: ResponseSnapshot,
    expected: readonly ExpectedValue[],
  ): TestedExtractor | undefined {
    const needsNumber = this.#laterTexts(index, found).some(({ numeric }) => numeric);
    const proposed = found.pairs.flatMap((pair) => {
      const responses = { recorded, live };
      const isDecoded = recorded.view.text.includes(encodeURIComponent(pair.recorded)) &&
        !recorded.view.text.includes(pair.recorded);
      return proposeExtractors(pair, responses).flatMap((extractor) =>
        isDecoded || pair.recorded !== decoded(pair.recorded)
          ? [extractor, withTransform(extractor, "url_decode")]
          : [extractor]
      );
    });
    const tested = firstWorking(proposed, expected);
    if (tested === undefined || tested.numeric || !needsNumber) return tested;
    return firstWorking([withTransform(tested.extractor, "number")], expected) ?? tested;
  }

  #laterTexts(index: number, { literal }: LearnablePair) {
    return this.#draft.textsAfter(index, literal);
  }
}

/**
 * Reports whether the value is too generic to be recognized without its name, such as a small
 * number or a plain word.
 */
export function isWeak({ literal }: LearnablePair): boolean {
  return literal.agrees !== undefined;
}

/**
 * Returns a name for the variable with a value, derived from the name of the value or of the fields
 * that send it (`consumers`).
 */
export function variableNameFor(
  { pairs: [{ name }] }: LearnablePair,
  consumers: readonly RequestText[],
): string {
  const sent = consumers.find((text) => text.name !== "" && text.kind !== "path")?.name;
  const collection = consumers.find(({ kind, name }) => kind === "path" && isWord(name))?.name;
  const isBare = name === "" || /^(?:id|_id|value|location|href|src|content|data)$/i.test(name);
  if (!isBare) return name;
  if (collection !== undefined) return `${singular(collection)}_id`;
  return sent !== undefined && isWord(sent) ? sent : name || "value";
}

function isWord(name: string): boolean {
  return /^[A-Za-z][\w.-]{1,30}$/.test(name) && !/^(?:referer|cookie|origin)$/i.test(name);
}

function singular(name: string): string {
  return name.replace(/\.\w+$/, "").replace(/(?<=[a-z]{2})ies$/, "y").replace(
    /(?<=[a-z]{2}[^s])s$/,
    "",
  );
}

/** Returns an extractor that also applies a transform. */
export function withTransform(
  extractor: TestedExtractor["extractor"],
  transform: "number" | "url_decode",
): TestedExtractor["extractor"] {
  return { ...extractor, transform: [...extractor.transform ?? [], transform] };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
