import { isNumber } from "../base/exact_number.ts";
import { alignResponses } from "../comparison/align.ts";
import { namesOfRows, pairRows } from "../comparison/align_rows.ts";
import { KnownPairs } from "../comparison/known_pairs.ts";
import { NOTHING_KNOWN, propose } from "../correlation/propose.ts";
import {
  extractValue,
  firstWorkingFor,
  type Sample,
  type TestedExtractor,
  withTransform,
} from "../correlation/try_extractor.ts";
import { type ValuePair, wholeText } from "../comparison/compared_response.ts";
import { singular } from "../correlation/words.ts";
import { type NamelessExtractor, rowTemplate } from "../extract/extractors.ts";
import { call as callOf, type Expression } from "../plan/expressions/expression.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { RequestText } from "../plan/request_texts.ts";
import { literal } from "../plan/text/template.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { IN_BODY } from "../traffic/session/request_field.ts";
import type { ExtractedRepair, LiveStep, NewVariable, UniqueRepair } from "./trial.ts";
import { type PlanDraft, quoteValue } from "./draft.ts";
import type { PlanPoint } from "./given_plan.ts";
import { type LearnedPair, PairSelector } from "./learned_pairs.ts";
import { isWeak, isWriteRequest, textsOf, type WrittenVariable } from "./literal_edit.ts";
import type { LostBodies } from "./lost_bodies.ts";
import type { ResponseSnapshot } from "../comparison/response_snapshot.ts";
import type { UniqueTexts } from "./unique_texts.ts";
import type { ExtractedValue, VariableWatch } from "./variable_watch.ts";

/** Matches an expression with another value each time. */
const UNSTABLE = /\$\{[^}]*\b(?:now|random_\w+)\(/;
/** Matches a string that can name an object and contains no expression. */
const NAME = /^(?!.*\$\{)(?=.*\p{L})[^\n\r\\]{3,120}$/u;

/** Finds server-generated values in live responses and makes the plan extract them. */
export class Extractions {
  readonly repairs: ExtractedRepair[] = [];
  readonly #draft: PlanDraft;
  readonly #unique: UniqueTexts;
  readonly #variables: VariableWatch;
  readonly #lost: LostBodies;

  constructor(
    draft: PlanDraft,
    unique: UniqueTexts,
    variables: VariableWatch,
    lost: LostBodies,
  ) {
    this.#draft = draft;
    this.#unique = unique;
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
    const compared = { point: index, recorded: step.response, live: live.response };
    const selector = new PairSelector(compared, this.#draft);
    this.#learnRows(index, step.response, selector, steps);
    const pairs = [
      ...alignResponses(step.response, live.response, live.known),
      ...own.flatMap((value) => pairsOf(value, step.response, live.response)),
    ];
    for (const learned of selector.select(pairs)) {
      if (this.#reuse(index, learned, own)) continue;
      this.keep(this.repair(index, learned, step.response, steps));
    }
    const restored = this.#lost.restore(index, live.response);
    for (const learned of restored?.found ?? []) {
      const repair = this.repair(index, learned, restored!.recorded, steps);
      this.keep(repair && { ...repair, isRestored: true });
    }
  }

  /**
   * Compares a WebSocket message that one user received with the recorded one, and makes the
   * `expect` step that reads it extract the values that differ and that are sent later. Ignores
   * values that are too generic, such as words, except numbers in members with the same name.
   */
  learnMessage(step: Step, recorded: ResponseSnapshot, live: ResponseSnapshot): NewVariable[] {
    return new PairSelector({ point: step, recorded, live }, this.#draft)
      .select(alignResponses(recorded, live, new KnownPairs()))
      .filter((learned) => learned.literal.agrees === undefined || isNumbered(learned))
      .flatMap((learned) => {
        const samples: Sample[] = [[recorded, learned.recorded], [live, learned.live]];
        const tested = this.#test(step, learned, samples);
        return (tested && this.#extract(step, learned, tested)) ?? [];
      });
  }

  /** Makes later requests send a variable that the call extracts. Returns true if all do. */
  #reuse(index: number, learned: LearnedPair, own: readonly ExtractedValue[]): boolean {
    const { recorded, live, literal } = learned;
    const texts = this.#draft.values.textsAfter(index, literal);
    const value = own.find((value) =>
      value.recorded === recorded && value.live === live &&
      (value.numeric || !texts.some(({ numeric }) => numeric)) &&
      !this.#draft.given.names.has(value.extractor.name)
    );
    if (texts.length === 0 || value === undefined) return false;
    const { extractor, numeric } = value;
    const variable = extractor.name;
    const written = writtenAs(variable, numeric);
    const isReused = this.#draft.tryEdit(() =>
      this.#draft.values.replaceLiteral(index, literal, written, variable)
    );
    if (!isReused) return false;
    const left = this.#draft.values.textsAfter(index, literal).length;
    if (left < texts.length) this.keep({ variable, recorded, live, source: index, extractor });
    return left === 0;
  }

  /**
   * Makes the plan extract values from rows of a list. Finds each row, regardless of its position,
   * by a string in it that the user typed into an earlier request, or by the name of what the user
   * picked.
   */
  #learnRows(
    index: number,
    recorded: ResponseSnapshot,
    selector: PairSelector,
    steps: readonly LiveStep[],
  ): void {
    const [{ response: live }] = steps;
    const { text: body = "" } = recorded;
    if (body === "") return;
    const typed = this.#typedUpTo(index, body);
    const sent = this.#draft.values.sentAfter(index);
    let texts: ReadonlySet<string> | undefined;
    const names = namesOfRows(
      recorded,
      (value) => (texts ??= new Set(sent.flatMap(textsOf).map((text) => text.template))).has(value),
    );
    if (typed.length === 0 && names.size === 0) return;
    const later = sent.map((request) => JSON.stringify(request)).join("\n");
    const wanted = new Map<string, boolean>();
    const isWanted = (value: string) =>
      wanted.getOrInsertComputed(value, () => later.includes(value));
    const picked = [...names].map((text) => ({ recorded: text, template: undefined }));
    for (const { recorded: text, template } of [...typed, ...picked]) {
      const liveText = steps[0].known.liveOf(text) ?? text;
      for (
        const { pair, extractor, isAmbiguous } of pairRows(recorded, live, text, liveText, isWanted)
      ) {
        if (!isAmbiguous && pair.live === pair.recorded) continue;
        const [learned] = selector.select([pair]);
        if (learned === undefined) continue;
        if (isAmbiguous) {
          if (template !== undefined) this.#unique.makeRowUnique(index, template);
        } else {
          const inRow = { ...extractor, row: template ?? literal(text) } as NamelessExtractor;
          const isNumeric = isNumber(extractValue(inRow, live, liveText));
          const tested = this.#asSent(index, learned, inRow, isNumeric);
          this.keep(this.#add(index, learned, tested, steps));
        }
      }
    }
  }

  /**
   * Returns the strings in `body` that the user probably typed into writes up to the call `index`:
   * no recorded response contained them before.
   */
  #typedUpTo(index: number, body: string): Pick<UniqueRepair, "recorded" | "template">[] {
    const { given, recorded } = this.#draft;
    return [...given.earlier(index), index].flatMap((i) => {
      if (!isWriteRequest(given.at(i))) return [];
      const now = textsOf(this.#draft.at(i));
      return textsOf(given.at(i)).flatMap(({ kind, template, numeric }, k) => {
        if (!IN_BODY.has(kind) || numeric || !NAME.test(template)) return [];
        if (!body.includes(template) || recorded.isReceivedBefore(i, template)) return [];
        if (UNSTABLE.test(now[k].template)) return [];
        return [{ recorded: template, template: now[k].template }];
      });
    });
  }

  /** Adds a transform to an extractor if a later request sends its value as a number. */
  #asSent(
    index: number,
    { literal }: LearnedPair,
    extractor: NamelessExtractor,
    isNumeric: boolean,
  ): TestedExtractor {
    const needsNumber = !isNumeric &&
      this.#draft.values.textsAfter(index, literal).some(({ numeric }) => numeric);
    return needsNumber
      ? { extractor: withTransform(extractor, "number"), numeric: true }
      : { extractor, numeric: isNumeric };
  }

  /**
   * Makes the call `index` extract a value, unless nothing sends it, no extractor returns the
   * recorded value and that of each user, or the plan would be invalid. `steps` are the live
   * responses to the users.
   */
  repair(
    index: number,
    learned: LearnedPair,
    recorded: ResponseSnapshot,
    steps: readonly LiveStep[],
  ): ExtractedRepair | undefined {
    const isGeneric = isWeak(learned.recorded);
    const [live, ...others] = steps;
    const samples: Sample[] = [
      [recorded, learned.recorded],
      [live.response, learned.live],
      ...others.map(({ response, known }): Sample => [
        response,
        alignResponses(recorded, response, known).find((pair) =>
          pair.recorded === learned.recorded && pair.name === learned.pairs[0].name
        )?.live ?? (isGeneric ? undefined : known.liveOf(learned.recorded)) ?? learned.recorded,
      ]),
    ];
    const tested = this.#test(index, learned, samples);
    return tested && this.#add(index, learned, tested, steps);
  }

  #test(
    point: PlanPoint,
    { recorded, live, pairs, literal }: LearnedPair,
    samples: readonly Sample[],
  ): TestedExtractor | undefined {
    const texts = this.#draft.values.textsAfter(point, literal);
    if (texts.length === 0) return undefined; // A longer value replaced all occurrences.
    const needsNumber = texts.some(({ numeric }) => numeric);
    const proposed = pairs.flatMap(({ at, liveAt }) => [
      ...propose(at, NOTHING_KNOWN, [liveAt]),
    ]);
    const tested = firstWorkingFor(needsNumber, proposed, samples);
    if (tested === undefined) {
      const values = `${quoteValue(recorded)} → ${quoteValue(live)}`;
      this.#draft.explain(point, `${values}: no extractor returns both`);
    }
    return tested;
  }

  #add(
    index: number,
    learned: LearnedPair,
    tested: TestedExtractor,
    steps: readonly LiveStep[],
  ): ExtractedRepair | undefined {
    const row = rowTemplate(tested.extractor);
    const added = this.#extract(index, learned, tested);
    if (added === undefined) return undefined;
    for (const step of steps) {
      const text = row === undefined ? undefined : this.#unique.rowOf(row, step)?.live;
      const value = extractValue(tested.extractor, step.response, text);
      step.set(added.variable, value);
      const live = leafText(value);
      if (live !== undefined && !isWeak(learned.recorded)) step.known.add(learned.recorded, live);
    }
    return { ...added, source: index };
  }

  /** Makes a point of the plan extract a value, unless a plan with its variable is invalid. */
  #extract(
    point: PlanPoint,
    { recorded, live, literal, pairs: [{ name }] }: LearnedPair,
    { extractor: { type, ...options }, numeric }: TestedExtractor,
  ): NewVariable | undefined {
    const consumers = this.#draft.values.textsAfter(point, literal);
    const variable = this.#draft.unusedName(variableNameFor(name, consumers));
    const extractor = { type, name: variable, ...options } as Extractor;
    const isExtracted = this.#draft.tryEdit(() =>
      this.#draft.values.extract(point, extractor, literal, writtenAs(variable, numeric))
    );
    return isExtracted ? { variable, recorded, live, extractor } : undefined;
  }
}

function writtenAs(name: string, numeric: boolean): WrittenVariable {
  const expression: Expression = { kind: "variable", name };
  return { expression, encoded: callOf("url_encode", expression), numeric };
}

function isNumbered({ recorded, live, pairs: [{ name }] }: LearnedPair): boolean {
  return name !== "" && /^\d+$/.test(recorded) && /^\d+$/.test(live);
}

function pairsOf(
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
  const collection = consumers.find(({ kind, name }) => kind === "path" && isPlainName(name))?.name;
  if (collection !== undefined) return `${singular(collection.replace(/\.\w+$/, ""))}_id`;
  const sent = consumers.find((text) => text.name !== "" && text.kind !== "path")?.name;
  return sent !== undefined && isPlainName(sent) ? sent : name || "value";
}

function isPlainName(name: string): boolean {
  return /^[A-Za-z][\w.-]{1,30}$/.test(name) && !/^(?:referer|cookie|origin)$/i.test(name);
}
