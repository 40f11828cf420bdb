import { isNumber } from "../base/exact_number.ts";
import { alignResponses } from "../correlation/align.ts";
import { SessionEvidence } from "../correlation/session_evidence.ts";
import { KnownPairs } from "../correlation/known_pairs.ts";
import { piecesOf, type Use } from "../correlation/pieces.ts";
import { evidenceFor, sumOf } from "../correlation/prior.ts";
import { proposeForPair } from "../correlation/propose.ts";
import { SecondSession } from "../correlation/second_session.ts";
import { sourceAt } from "../correlation/source.ts";
import {
  extractValue,
  firstWorkingFor,
  type Sample,
  type TestedExtractor,
  withTransform,
} from "../correlation/try_extractor.ts";
import { type ValuePair, wholeText } from "../correlation/compared_response.ts";
import { singular } from "../correlation/words.ts";
import { rowTemplate } from "../extract/extractors.ts";
import { call as callOf, type Expression } from "../plan/expressions/expression.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import { requestMethod } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { RequestText } from "../plan/request_texts.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import type { RequestFieldKind } from "../traffic/session/request_field.ts";
import {
  type ExtractedRepair,
  type FailedCall,
  type LiveStep,
  MOST_TRIALS,
  type NewVariable,
  type Trial,
  type TrialKind,
} from "./trial.ts";
import { type PlanDraft, type PlanPoint, quoteValue } from "./draft.ts";
import {
  isFromClient,
  type LearnedPair,
  PairEvidence,
  placeOf,
  selectPairs,
} from "./learned_pairs.ts";
import { isWeak, type SoughtLiteral, type WrittenVariable } from "./literal_edit.ts";
import type { LostBodies } from "./lost_bodies.ts";
import type { ResponseSnapshot } from "./recorded_side.ts";
import { pairRows } from "./row_objects.ts";
import type { UniqueTrials } from "./unique_trial.ts";
import type { ExtractedValue, VariableWatch } from "./variable_watch.ts";

/** Finds server-generated values in live responses and makes the plan extract them. */
export class Extractions {
  readonly repairs: ExtractedRepair[] = [];
  readonly #draft: PlanDraft;
  readonly #rows: UniqueTrials;
  readonly #variables: VariableWatch;
  readonly #lost: LostBodies;

  constructor(
    draft: PlanDraft,
    rows: UniqueTrials,
    variables: VariableWatch,
    lost: LostBodies,
  ) {
    this.#draft = draft;
    this.#rows = rows;
    this.#variables = variables;
    this.#lost = lost;
  }

  keep(repair: ExtractedRepair | undefined): void {
    if (repair === undefined) return;
    this.#variables.learned(repair);
    this.repairs.push(repair);
  }

  /**
   * Compares the live response to the call `index` with the recorded one. For each value that
   * differs, and whose recorded form a later request still sends, adds an extractor and makes later
   * requests send its variable instead, or that of one of `own`, the values that the call already
   * extracts. Sets a variable in `live` and in `others`, the responses to other users.
   */
  learn(
    index: number,
    live: LiveStep,
    others: readonly LiveStep[],
    own: readonly ExtractedValue[],
  ): void {
    const step = this.#draft.recorded.at(index);
    if (step === undefined) return;
    const steps = [live, ...others];
    const evidence = new PairEvidence(index, step.response, live.response, this.#draft);
    this.#learnRows(index, evidence, steps);
    const pairs = [
      ...alignResponses(step.response, live.response, live.known),
      ...own.flatMap((value) => placesOf(value, step.response, live.response)),
    ];
    for (const found of selectPairs(pairs, evidence)) {
      if (this.#reuse(index, found, own)) continue;
      this.keep(this.repair(index, found, step.response, steps));
    }
    const restored = this.#lost.restore(index, live.response);
    for (const one of restored?.found ?? []) {
      this.keep(this.repair(index, one, restored!.recorded, steps, true));
    }
  }

  /**
   * Compares a WebSocket message that one user received with the recorded one, and makes the
   * `expect` step that reads it extract the values that differ and that are sent later. Ignores
   * values that are too generic, such as words, except numbers in members with the same name.
   */
  learnMessage(step: Step, recorded: ResponseSnapshot, live: ResponseSnapshot): NewVariable[] {
    const evidence = new PairEvidence(step, recorded, live, this.#draft);
    return selectPairs(alignResponses(recorded, live, new KnownPairs()), evidence)
      .filter((found) => found.literal.agrees === undefined || isNumbered(found))
      .flatMap((found) => {
        const samples: Sample[] = [[recorded, found.recorded], [live, found.live]];
        const tested = this.#test(step, found, samples);
        return tested === undefined ? [] : [this.#extract(step, found, tested)];
      });
  }

  /** Makes later requests send a variable that the call extracts. Returns true if all do. */
  #reuse(index: number, found: LearnedPair, own: readonly ExtractedValue[]): boolean {
    const { recorded, live, literal } = found;
    const texts = this.#draft.textsAfter(index, literal);
    const value = own.find((value) =>
      value.recorded === recorded && value.live === live &&
      (value.numeric || !texts.some(({ numeric }) => numeric)) &&
      !this.#draft.sets(value.extractor.name)
    );
    if (texts.length === 0 || value === undefined) return false;
    const { extractor, numeric } = value;
    const variable = extractor.name;
    this.#draft.replaceAfter(index, literal, writtenAs(variable, numeric), variable);
    const left = this.#draft.textsAfter(index, literal).length;
    if (left < texts.length) this.keep({ variable, recorded, live, source: index, extractor });
    return left === 0;
  }

  /**
   * Makes the plan extract values from rows of a list. Finds each row, regardless of its position,
   * by a string in it that the user typed into an earlier request.
   */
  #learnRows(index: number, evidence: PairEvidence, steps: readonly LiveStep[]): void {
    const { recorded, live } = evidence;
    const { text: body = "" } = recorded;
    const typed = body === "" ? [] : this.#rows.typedBefore(index, (text) => body.includes(text));
    if (typed.length === 0) return;
    const later = this.#draft.sentAfter(index).map((sent) => JSON.stringify(sent)).join("\n");
    for (const { recorded: text, template } of typed) {
      const liveText = steps[0].known.liveOf(text) ?? text;
      const isWanted = (value: string) => later.includes(value);
      for (const row of pairRows(recorded, live, text, liveText, isWanted)) {
        const { pair, extractor, isAmbiguous } = row;
        if (!isAmbiguous && pair.live === pair.recorded) continue;
        const [found] = selectPairs([pair], evidence);
        if (found === undefined) continue;
        if (isAmbiguous) {
          this.#rows.makeRowUnique(index, template);
          continue;
        }
        const inRow = { ...extractor, row: template } as typeof extractor;
        const isNumeric = isNumber(extractValue(inRow, live, liveText));
        const needsNumber = !isNumeric &&
          this.#draft.textsAfter(index, found.literal).some(({ numeric }) => numeric);
        const tested = {
          extractor: needsNumber ? withTransform(inRow, "number") : inRow,
          numeric: isNumeric || needsNumber,
        };
        this.keep(this.#add(index, found, tested, steps));
      }
    }
  }

  /**
   * Makes the call `index` extract a value, unless nothing sends it or no extractor returns the
   * recorded value and that of each user. `steps` are the live responses to the users.
   */
  repair(
    index: number,
    found: LearnedPair,
    recorded: ResponseSnapshot,
    steps: readonly LiveStep[],
    isRestored = false,
  ): ExtractedRepair | undefined {
    const isGeneric = isWeak(found.recorded);
    const [live, ...others] = steps;
    const samples: Sample[] = [
      [recorded, found.recorded],
      [live.response, found.live],
      ...others.map(({ response, known }): Sample => [
        response,
        alignResponses(recorded, response, known).find((pair) =>
          pair.recorded === found.recorded && pair.name === found.pairs[0].name
        )?.live ?? (isGeneric ? undefined : known.liveOf(found.recorded)) ?? found.recorded,
      ]),
    ];
    const tested = this.#test(index, found, samples);
    return tested && this.#add(index, found, tested, steps, isRestored);
  }

  #test(
    point: PlanPoint,
    { recorded, live, pairs, literal }: LearnedPair,
    samples: readonly Sample[],
  ): TestedExtractor | undefined {
    const texts = this.#draft.textsAfter(point, literal);
    if (texts.length === 0) return undefined; // A longer value replaced all occurrences.
    const needsNumber = texts.some(({ numeric }) => numeric);
    const proposed = pairs.flatMap((pair) => [...proposeForPair(pair)]);
    const tested = firstWorkingFor(needsNumber, proposed, samples);
    if (tested === undefined) {
      const values = `${quoteValue(recorded)} → ${quoteValue(live)}`;
      this.#draft.explain(
        this.#draft.requestAt(point) ?? 0,
        `${values}: no extractor returns both`,
      );
    }
    return tested;
  }

  #add(
    index: number,
    found: LearnedPair,
    tested: TestedExtractor,
    steps: readonly LiveStep[],
    isRestored = false,
  ): ExtractedRepair {
    const row = rowTemplate(tested.extractor);
    const added = this.#extract(index, found, tested);
    for (const step of steps) {
      const text = row === undefined ? undefined : this.#rows.rowOf(row, step)?.live;
      const value = extractValue(tested.extractor, step.response, text);
      step.set(added.variable, value);
      const live = leafText(value);
      if (live !== undefined && !isWeak(found.recorded)) step.known.add(found.recorded, live);
    }
    return { ...added, source: index, ...(isRestored && { isRestored }) };
  }

  #extract(
    point: PlanPoint,
    { recorded, live, literal, pairs: [{ name }] }: LearnedPair,
    { extractor: { type, ...options }, numeric }: TestedExtractor,
  ): NewVariable {
    const consumers = this.#draft.textsAfter(point, literal);
    const variable = this.#draft.unusedName(variableNameFor(name, consumers));
    const extractor = { type, name: variable, ...options } as Extractor;
    this.#draft.extract(point, extractor, literal, writtenAs(variable, numeric));
    return { variable, recorded, live, extractor };
  }
}

function writtenAs(name: string, numeric: boolean): WrittenVariable {
  const expression: Expression = { kind: "variable", name };
  return { expression, encoded: callOf("url_encode", expression), numeric };
}

function isNumbered({ recorded, live, pairs: [{ name }] }: LearnedPair): boolean {
  return name !== "" && /^\d+$/.test(recorded) && /^\d+$/.test(live);
}

function placesOf(
  { extractor: { name }, recorded, live }: ExtractedValue,
  response: ResponseSnapshot,
  other: ResponseSnapshot,
): ValuePair[] {
  const aligned = alignResponses(response, other, new KnownPairs())
    .filter((pair) => pair.recorded === recorded && pair.live === live);
  // A value that is not distinctive cannot be recognized without the name of its place.
  if (aligned.length > 0 || isWeak(recorded)) return aligned;
  const at = wholeText(response, recorded, name, { kind: "header", name: "" });
  return [{ recorded, live, at, liveAt: at, name, mayMove: true }];
}

function variableNameFor(name: string, consumers: readonly RequestText[]): string {
  const isBare = name === "" || /^(?:id|_id|value|location|href|src|content|data)$/i.test(name);
  if (!isBare) return name;
  const collection = consumers.find(({ kind, name }) => kind === "path" && isWord(name))?.name;
  if (collection !== undefined) return `${singular(collection.replace(/\.\w+$/, ""))}_id`;
  const sent = consumers.find((text) => text.name !== "" && text.kind !== "path")?.name;
  return sent !== undefined && isWord(sent) ? sent : name || "value";
}

function isWord(name: string): boolean {
  return /^[A-Za-z][\w.-]{1,30}$/.test(name) && !/^(?:referer|cookie|origin)$/i.test(name);
}

interface OtherSource {
  readonly index: number;
  readonly use: Use;
  readonly pair: ValuePair;
  readonly score: number;
}

const TRIALS_PER_CALL = 3;
/** Statuses of responses to requests for objects that do not exist. */
const UNKNOWN: ReadonlySet<number> = new Set([404, 410]);
/** Sum of evidence below which a place is certainly not the source of a value. */
const LEAST_EVIDENCE = -5;

/**
 * Takes the values that a failed call sends from other places: those in earlier responses of the
 * same iteration that contained the recorded value and now contain another one than was sent.
 */
export class ExtractTrials implements TrialKind {
  readonly #draft: PlanDraft;
  readonly #variables: VariableWatch;
  readonly #extractions: Extractions;
  readonly #session: SessionEvidence;
  #left = MOST_TRIALS;

  constructor(
    draft: PlanDraft,
    variables: VariableWatch,
    extractions: Extractions,
  ) {
    this.#draft = draft;
    this.#variables = variables;
    this.#extractions = extractions;
    this.#session = new SessionEvidence(draft.recorded.calls);
  }

  *propose(failed: FailedCall): Generator<Trial> {
    const { outcome: { index }, user, others } = failed;
    for (const { index: source, use, pair } of this.#sources(failed).slice(0, TRIALS_PER_CALL)) {
      if (this.#left === 0) return;
      this.#left--;
      const { recorded, live } = pair;
      const literal = literalOf(use);
      const { agrees } = literal;
      const steps = [user, ...others].flatMap(({ steps }) => steps.get(source) ?? []);
      const variables = this.#variables.sentBy(index, recorded);
      let repair: ExtractedRepair | undefined;
      yield {
        what: `${quoteValue(live)}, from the response to call ${source + 1}, instead of ` +
          quoteValue(recorded),
        edit: () => {
          for (const one of variables) {
            const { source, variable, value, numeric } = one;
            // The variable may be right elsewhere.
            if (agrees === undefined) this.#draft.release(source, variable, value, numeric);
            else this.#draft.unread(index, variable, one, agrees);
          }
          const { response } = this.#draft.recorded.at(source)!;
          const found = { recorded, live, pairs: [pair], literal };
          repair = this.#extractions.repair(source, found, response, steps);
        },
        keep: () => {
          if (repair === undefined) return;
          for (const { source, variable } of agrees === undefined ? variables : []) {
            this.#variables.forget(source, variable);
          }
          this.#extractions.keep(repair);
        },
      };
    }
  }

  #sources(
    { outcome: { index }, step: { call }, live, sentCall, user }: FailedCall,
  ): OtherSource[] {
    const session = new SecondSession([{ call, responses: [], again: sentCall }]);
    const request = this.#draft.at(index);
    const isWrite = this.#draft.isWrite(index);
    if (requestMethod(request) === "DELETE") return [];
    // Other refusals of a write rather need other text.
    const isUnknown = !isWrite || UNKNOWN.has(live.status);
    // Another target of a write is another object, which may belong to another user.
    const isTarget = (kind: RequestFieldKind) => kind === "path" && isWrite;
    const uses = call.fields.filter(({ kind }) => kind !== "header" && !isTarget(kind))
      .flatMap((field) => piecesOf(call, field)).filter((use) =>
        (use.fills === "whole" || !isWeak(use.value)) &&
        (isUnknown || session.sentInstead(use) === use.value)
      );
    const byValue = Map.groupBy(uses, ({ value }) => value);
    const found = new Map<string, OtherSource>();
    for (const [source, { response }] of user.steps) {
      const step = this.#draft.recorded.at(source);
      if (source >= index || step === undefined) continue;
      if (!this.#draft.recorded.mayRead(index, source)) continue;
      for (const pair of alignResponses(step.response, response, new KnownPairs())) {
        for (const use of byValue.get(pair.recorded) ?? []) {
          if (session.sentInstead(use) === pair.live) continue;
          if (isFromClient(source, literalOf(use), this.#draft)) continue;
          const place = sourceAt(step.call, pair.at, 0);
          const score = sumOf(evidenceFor(use, place, place, this.#session));
          const key = `${placeOf(use)} ${pair.live}`;
          if (score < LEAST_EVIDENCE || score <= (found.get(key)?.score ?? -Infinity)) continue;
          found.set(key, { index: source, use, pair, score });
        }
      }
    }
    return [...found.values()].sort((a, b) => b.score - a.score);
  }
}

/** Returns the value of a use. A value that is not distinctive is only replaced at its place. */
function literalOf(use: Use): SoughtLiteral {
  const place = placeOf(use);
  const agrees = (text: RequestText) => `${text.kind} ${text.name}` === place;
  return { value: use.value, agrees: isWeak(use.value) ? agrees : undefined };
}
