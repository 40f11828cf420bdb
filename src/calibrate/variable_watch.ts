import { asText, isNumber } from "../base/exact_number.ts";
import { alignResponses } from "../comparison/align.ts";
import { extractValue } from "../correlation/try_extractor.ts";
import { rowTemplate } from "../extract/extractors.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Request } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { looksGenerated } from "../traffic/session/dynamic_value.ts";
import { generatedValues, ValueFinder } from "../verify/generated_values.ts";
import type { ExtractedRepair, LiveStep, RemovedVariable } from "./trial.ts";
import { type Attempts, type CallOutcome, matchesRecording, PROVING_LOAD } from "./attempts.ts";
import { type DraftState, type PlanDraft, quoteValue } from "./draft.ts";
import type { ResponseSnapshot } from "../comparison/response_snapshot.ts";
import type { UniqueTexts } from "./unique_texts.ts";

/** A variable that had the recorded value in every live response. */
export interface ConstantVariable {
  readonly variable: string;
  readonly value: string;
  readonly source: number;
  readonly numeric: boolean;
}

/** A value that a call of the plan extracts, and that differs in the live response. */
export interface ExtractedValue {
  readonly extractor: Extractor;
  readonly recorded: string;
  readonly live: string;
  /** True if the extractor returns JSON numbers. */
  readonly numeric: boolean;
}

interface Watched extends ConstantVariable {
  /**
   * True if the extractor finds the value by a string in the same list row. This is stronger
   * evidence than finding it by position.
   */
  readonly isInRow: boolean;
  /** True if the value is text or a number, so that a literal can replace it. */
  readonly isLeaf: boolean;
  differed: boolean;
}

/** What an extractor returns from the recorded response, and the live value of its variable. */
interface ReadValue {
  readonly extractor: Extractor;
  readonly recorded: unknown;
  readonly live: unknown;
  /** True if the extractor finds the value by a string in the same list row. */
  readonly isInRow: boolean;
}

/** Compares the variables of a plan with the recording, and removes those that are wrong. */
export class VariableWatch {
  readonly #draft: PlanDraft;
  readonly #unique: UniqueTexts;
  readonly #watched = new Map<string, Watched>();
  readonly removed: RemovedVariable[] = [];
  /** The variables whose live value once differed, by key. True if a later call confirms them. */
  readonly #confirmed = new Map<string, boolean>();
  /** Calls and strings for which `check` removed a variable (see `UniqueTexts.replacedIn`). */
  readonly #replaced = new Set<string>();

  constructor(draft: PlanDraft, unique: UniqueTexts) {
    this.#draft = draft;
    this.#unique = unique;
  }

  forget(source: number, variable: string): void {
    this.#watched.delete(keyOf(source, variable));
  }

  // The edits of these two methods follow the last round, which shows what the resulting plan does
  // only because its requests send the same bytes.

  /** Removes the extractors whose values only the plan `given` sends. */
  removeUnused(given: DraftState): void {
    const draft = this.#draft;
    const repaired = draft.save();
    draft.restore(given);
    const before = new Set(this.#unused().map(([source, name]) => keyOf(source, name)));
    draft.restore(repaired);
    for (const [source, variable] of this.#unused()) {
      if (before.has(keyOf(source, variable))) continue;
      this.#replace({ source, variable, value: "", numeric: false });
    }
  }

  #unused(): [source: number, variable: string][] {
    return this.#draft.requests.flatMap(({ extract = [] }, source) =>
      extract.flatMap(({ name }): [number, string][] => {
        const { consumers, messages } = this.#draft.values.usesOf(source, name);
        return consumers.length + messages > 0 ? [] : [[source, name]];
      })
    );
  }

  /**
   * Replaces variables that were equal in the recording and in all responses to two users with
   * their values, if the requests only insert them. `outcomes` are those of the rounds of several
   * users. Keeps values that look generated, because they may differ in another deployment.
   */
  removeConstants(outcomes: readonly CallOutcome[]): void {
    const good = outcomes.filter(matchesRecording);
    for (const constant of this.constants) {
      const { variable, source, value } = constant;
      const users = new Set(
        good.flatMap(({ index, user }) => index === source ? [user] : []),
      );
      if (users.size < PROVING_LOAD.users || !this.#draft.values.isOnlyInserted(source, variable)) {
        continue;
      }
      if (looksGenerated(value) || generatedValues(value).length > 0) continue;
      if (!this.#replace(constant)) continue;
      const shown = quoteValue(value);
      this.#draft.explain(
        source,
        `removed the variable ${variable}: its value was always ${shown}`,
      );
    }
  }

  /**
   * Replaces a variable with a value. Reports whether the plan is then valid. If it is not, for
   * example because a `set` step uses the variable, undoes the change.
   */
  #replace(constant: ConstantVariable): boolean {
    const { source, variable } = constant;
    const isReplaced = this.#draft.tryEdit(() =>
      this.#draft.values.removeVariable(source, variable, constant)
    );
    if (isReplaced) this.forget(source, variable);
    return isReplaced;
  }

  learned({ source, variable }: ExtractedRepair): void {
    this.#confirmed.getOrInsert(keyOf(source, variable), false);
  }

  /**
   * Call this after a response to the call `index` that is as recorded. A variable that the call
   * sends, and whose live value once differed from the recorded one, is then confirmed: no later
   * response removes it because its extractor found nothing.
   */
  confirm(index: number): void {
    for (const [key, isConfirmed] of this.#confirmed) {
      const [source, variable] = JSON.parse(key) as [number, string];
      const isSent = !isConfirmed &&
        this.#draft.values.usesOf(source, variable).consumers.includes(index);
      if (isSent) this.#confirmed.set(key, true);
    }
  }

  /** Returns the variables with a recorded value that a call sends. */
  sentBy(index: number, value: string): ConstantVariable[] {
    return [...this.#watched.values()].filter((watched) =>
      watched.value === value &&
      this.#draft.values.usesOf(watched.source, watched.variable).consumers.includes(index)
    );
  }

  /**
   * Returns the variables that earlier calls extracted and whose live value differs from the
   * recorded one, by recorded value. `get` returns the live value of a variable.
   */
  changedBefore(index: number, get: (variable: string) => unknown): Map<string, string[]> {
    const changed = [...this.#watched.values()].filter(({ source, variable, value }) => {
      if (source >= index || !this.#draft.given.areTogether(source, index)) return false;
      const live = get(variable);
      return live !== undefined && leafText(live) !== value;
    });
    const byValue = Map.groupBy(changed, ({ value }) => value);
    return new Map(
      [...byValue].map(([value, own]) => [value, own.map(({ variable }) => variable)]),
    );
  }

  /**
   * Variables that were the same in the recording and in every live response. Omits those with the
   * recorded value of a variable that differed: they may be another object's by chance.
   */
  get constants(): ConstantVariable[] {
    const all = [...this.#watched.values()];
    const changed = new Set(all.flatMap(({ differed, value }) => differed ? [value] : []));
    return all.filter(({ isLeaf, value }) => isLeaf && !changed.has(value))
      .map(({ variable, value, source, numeric }) => ({ variable, value, source, numeric }));
  }

  /**
   * Checks the variables that the call `index` sets. `get` returns their live values. Adds values
   * that differ from the recorded ones to `live.known`, and returns those that only one extractor
   * of the call sets. Unless the iteration `diverged`, removes a variable from the plan if its
   * extractor did not find a value, if the text of the extractor contains a string that is now
   * unique, or if it found the recorded value although the response contains a different one in its
   * place. If several list rows contain the string that an extractor uses to find its row, adds
   * `${unique}` to this string.
   */
  check(
    index: number,
    recorded: ResponseSnapshot,
    live: LiveStep,
    get: (variable: string) => unknown,
    diverged: boolean,
  ): ExtractedValue[] {
    const { extract = [] } = this.#draft.at(index);
    const extracted = extract.flatMap((extractor): ExtractedValue[] => {
      const read = this.#read(index, extractor, recorded, live, get);
      if (read === undefined) return [];
      const watched = this.#watch(index, read);
      const fault = diverged ? undefined : this.#faultOf(index, read, live);
      if (fault !== undefined) this.#remove(watched, fault);
      if (fault !== undefined || read.live === undefined) return [];
      const differing = this.#compare(watched, read, live);
      const isOnly = extract.filter(({ name }) => name === extractor.name).length === 1;
      return differing !== undefined && isOnly ? [differing] : [];
    });
    if (!diverged) this.#checkSuspects(index, recorded, live);
    return extracted;
  }

  /**
   * Reads the recorded and the live value of an extractor. Returns undefined if the recorded
   * response does not contain the value, or if it is unknown which of several rows contains the
   * live one.
   */
  #read(
    index: number,
    extractor: Extractor,
    recorded: ResponseSnapshot,
    live: LiveStep,
    get: (variable: string) => unknown,
  ): ReadValue | undefined {
    if (extractor.type === "xpath") return undefined; // Only a run evaluates XPath.
    const template = rowTemplate(extractor);
    const row = template === undefined ? undefined : this.#unique.rowOf(template, live);
    if (template !== undefined && row === undefined) return undefined;
    const value = extractValue(extractor, recorded, row?.recorded);
    if (value === undefined) return undefined;
    const read = { extractor, recorded: value, isInRow: row !== undefined };
    const current = get(extractor.name);
    if (current !== undefined || row === undefined) return { ...read, live: current };
    const inRow = extractValue(extractor, live.response, row.live);
    if (inRow !== undefined) live.set(extractor.name, inRow);
    else if (
      extractValue({ ...extractor, index: "first" }, live.response, row.live) !== undefined
    ) {
      this.#unique.makeRowUnique(index, template!);
      return undefined; // Several rows show the text.
    }
    return { ...read, live: inRow };
  }

  /** Returns the reason why an extractor is wrong, if it is. */
  #faultOf(
    index: number,
    { extractor, recorded, live, isInRow }: ReadValue,
    { isOfOtherObject }: LiveStep,
  ): string | undefined {
    const replaced = extractor.type === "boundary" ? this.#unique.replacedIn(extractor) : undefined;
    if (replaced !== undefined && !this.#replaced.has(`${index} ${replaced}`)) {
      this.#replaced.add(`${index} ${replaced}`);
      return `its extractor contains ${quoteValue(replaced)}`;
    }
    if (live === undefined) {
      const isConfirmed = this.#confirmed.get(keyOf(index, extractor.name));
      return isConfirmed ? undefined : "its extractor found nothing";
    }
    const pair = { recorded: textOf(recorded), live: textOf(live) };
    return isInRow && isOfOtherObject?.(pair)
      ? `it found the row of another object, with ${quoteValue(pair.live)}`
      : undefined;
  }

  /** Adds a differing value to `live.known`. Returns it if a later call may send it. */
  #compare(
    watched: Watched,
    { extractor, recorded, live: liveValue }: ReadValue,
    { known }: LiveStep,
  ): ExtractedValue | undefined {
    const [text, liveText] = [textOf(recorded), textOf(liveValue)];
    if (typeOf(liveValue) !== typeOf(recorded)) watched.differed = true;
    if (liveText === text) return undefined;
    watched.differed = true;
    this.#confirmed.getOrInsert(keyOf(watched.source, watched.variable), false);
    known.add(text, liveText);
    if (rowTemplate(extractor) !== undefined || known.liveOf(text) !== liveText) return undefined;
    const numeric = isNumber(recorded) && isNumber(liveValue);
    return { extractor, recorded: text, live: liveText, numeric };
  }

  /**
   * Reports whether each extractor of the call `index` found a value, as it does in the recorded
   * response. `get` returns the live value of a variable. Ignores extractors that search one row of
   * a list, because the row may show a different string in the live response.
   */
  findsAll(
    index: number,
    recorded: ResponseSnapshot,
    get: (variable: string) => unknown,
  ): boolean {
    return (this.#draft.at(index).extract ?? []).every(({ name, ...extractor }) =>
      extractor.type === "xpath" || rowTemplate(extractor) !== undefined ||
      get(name) !== undefined || extractValue(extractor, recorded) === undefined
    );
  }

  #watch(source: number, { extractor: { name }, recorded, isInRow }: ReadValue): Watched {
    return this.#watched.getOrInsertComputed(keyOf(source, name), () => {
      const value = textOf(recorded);
      const numeric = isNumber(recorded);
      const isLeaf = numeric || typeof recorded === "string";
      return { variable: name, source, value, numeric, isInRow, isLeaf, differed: false };
    });
  }

  /**
   * Removes variables that kept the recorded value although the server generated a different one.
   */
  #checkSuspects(index: number, recorded: ResponseSnapshot, live: LiveStep): void {
    const suspects = [...this.#watched.values()].filter((
      { differed, isInRow, source, value, variable },
    ) =>
      !differed && !isInRow && source <= index && this.#draft.given.areTogether(source, index) &&
      live.known.liveOf(value) === undefined &&
      this.#draft.values.usesOf(source, variable).consumers.some((consumer) => consumer > index)
    );
    if (suspects.length === 0) return;
    const pairs = alignResponses(recorded, live.response, live.known);
    for (const suspect of suspects) {
      const pair = pairs.find((aligned) => aligned.recorded === suspect.value);
      if (pair === undefined || live.response.view.text.includes(suspect.value)) continue;
      this.#remove(
        suspect,
        `call ${index + 1} returns ${quoteValue(pair.live)} instead of the recorded value`,
      );
    }
  }

  /** Removes a wrong variable, unless a step needs it that no literal can replace. */
  #remove(watched: Watched, reason: string): void {
    const { source, variable, value } = watched;
    if (!this.#replace(watched)) return;
    this.removed.push({ variable, recorded: value, source, reason });
    this.#draft.explain(source, `removed the variable ${variable}: ${reason}`);
  }
}

function textOf(value: unknown): string {
  return leafText(value) ?? asText(value);
}

function typeOf(value: unknown): string {
  return isNumber(value) ? "number" : typeof value;
}

function keyOf(source: number, variable: string): string {
  return JSON.stringify([source, variable]);
}

/**
 * Lists the literals of a plan that look generated but are constants of the application: if the
 * recorded response to a call contains one, so do all right live responses.
 */
export function listConstants(
  draft: PlanDraft,
  attempts: Pick<Attempts, "goodResponses">,
): string[] {
  const finder = new ValueFinder();
  for (const value of draft.requests.flatMap(literalsIn)) finder.add(value);
  const valuesIn = ({ headers, text = "" }: ResponseSnapshot) =>
    new Set(
      [...headers.map(({ value }) => value), text]
        .flatMap((text) => finder.find(text).map(({ value }) => value)),
    );
  const [equal, changed] = [new Set<string>(), new Set<string>()];
  for (const index of draft.recorded.indexes) {
    const values = valuesIn(draft.recorded.at(index)!.response);
    for (const live of values.size === 0 ? [] : attempts.goodResponses(index)) {
      const liveValues = valuesIn(live);
      for (const value of values) (liveValues.has(value) ? equal : changed).add(value);
    }
  }
  return [...equal.difference(changed)];
}

function literalsIn(request: Request): string[] {
  return requestTexts(request).flatMap(({ template }) =>
    parseTemplate(template).flatMap((part) =>
      part.kind === "text" ? generatedValues(part.text).map(({ value }) => value) : []
    )
  );
}
