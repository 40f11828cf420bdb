import { isRefusal } from "../outcome/judge_response.ts";
import type { Leaf } from "../outcome/leaves.ts";
import { findRefusalTexts } from "../outcome/refusal.ts";
import type { WorkTrace } from "../outcome/work.ts";
import { parseTemplate } from "../plan/text/template.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
import { IN_BODY } from "../traffic/session/request_field.ts";
import {
  type FailedCall,
  MOST_TRIALS,
  type Trial,
  type TrialKind,
  type UniqueRepair,
  type UserTexts,
} from "./trial.ts";
import { boundedOffsets, isWriteRequest, textsOf } from "./literal_edit.ts";
import { type PlanDraft, quoteValue } from "./draft.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";
import {
  makeUnique,
  splitForUnique,
  undoUnique,
  uniqueTemplate,
  type UniqueText,
  uniqueTexts,
} from "./unique_texts.ts";

interface MadeUnique extends UniqueRepair {
  readonly unique: UniqueText;
  /**
   * `tried` until the response to the request, `accepted` until the end of its round, unless the
   * text was kept at once because a refused write then worked.
   */
  state: "tried" | "accepted" | "kept" | "refused";
}

const TRIALS_PER_CALL = 4;
/** Matches a string that can name an object and contains no expression. */
const NAME = /^(?!.*\$\{)(?=.*\p{L})[^\n\r\\]{3,120}$/u;

/**
 * Makes strings unique that the user typed: those of a write that the server refuses, and those by
 * which an extractor finds a list row although several rows show them.
 */
export class UniqueTrials implements TrialKind {
  readonly #draft: PlanDraft;
  readonly #made: MadeUnique[] = [];
  #left = MOST_TRIALS;

  constructor(draft: PlanDraft) {
    this.#draft = draft;
  }

  get count(): number {
    return this.#made.length;
  }

  get repairs(): UniqueRepair[] {
    return this.#made.flatMap(({ state, recorded, template, source }) =>
      state === "refused" ? [] : [{ recorded, template, source }]
    );
  }

  /**
   * Proposes to make strings of a write unique that the server refused, or at which it failed
   * although the write worked before: one after the other, then all of them. If the refusal
   * contains strings, or else names their fields, first these, also together. If the server then
   * refuses others, adds them.
   */
  *propose({ outcome, step, live, user, hasSucceeded }: FailedCall): Generator<Trial> {
    const { index, differences, isTaken } = outcome;
    const isRefused = isTaken || isRefusal(step.response, live, differences) ||
      hasSucceeded && live.status >= 500;
    if (!this.#draft.isWrite(index) || !isRefused) return;
    const all = this.#textsOf(index, createsUrl(step.exchange));
    const namedIn = (response: ResponseSnapshot) => namedTexts(all, step.response, response);
    const untried = groupsToTry(namedIn(live), all);
    for (let current = untried.shift(); current !== undefined; current = untried.shift()) {
      if (this.#left === 0) return this.#draft.explain(index, "no trial of other text is left");
      this.#left--;
      const tried = current;
      let namedNow: UniqueText[] = [];
      yield {
        what: `other text than ${tried.map(({ text }) => quoteValue(text)).join(", ")}`,
        edit: () => this.#draft.editScenario(index, (request) => tried.reduce(makeUnique, request)),
        keep: () => {
          for (const one of tried) {
            if (one.expression.kind === "unique") {
              user.known.add(one.text, one.before + user.unique + one.after);
            }
            this.#add(index, one, "kept");
          }
        },
        failed: (response) => namedNow = response ? namedIn(response) : [],
      };
      // The server accepted these texts, and refused others.
      if (namedNow.length > 0 && !namedNow.some((one) => tried.includes(one))) {
        untried.unshift([...tried, ...namedNow]);
      }
    }
  }

  #textsOf(index: number, createsUrl = false): UniqueText[] {
    return uniqueTexts(this.#draft.at(index), {
      isFromServer: (text) => this.#draft.recorded.isReceivedBefore(index, text),
      isSentBefore: (text) => this.#draft.recorded.isSentUpTo(index - 1, text),
      uuids: this.#draft.uuids,
      createsUrl,
    });
  }

  /**
   * Makes a string of the write `index` unique that the server may have refused, for the next
   * round: one that the `refusal` contains, if there is one. The request cannot be repeated at once
   * if the server sends the same response again, or accepts the token of its form only once.
   */
  tryLater(index: number, refusal?: string): void {
    const unique = this.#textsOf(index).find(({ text }) =>
      !this.#is(text, "refused", "tried") &&
      (refusal === undefined || boundedOffsets(refusal, text).length > 0)
    );
    if (unique === undefined) return;
    this.#draft.explain(
      index,
      `the server may have refused ${quoteValue(unique.text)}, so the next round sends other text`,
    );
    this.#change(index, unique);
  }

  /**
   * Makes the text unique by which the call `index` finds a row, because several rows contain it.
   * Does nothing if the text cannot be changed. `template` is what the plan sends.
   */
  makeRowUnique(index: number, template: string): void {
    const [part, ...more] = parseTemplate(template);
    if (part.kind !== "text" || more.length > 0) return;
    const source = [...this.#draft.given.earlier(index), index].find((i) =>
      textsOf(this.#draft.at(i)).some(({ kind, template: sent }) =>
        IN_BODY.has(kind) && sent === template
      )
    );
    if (source === undefined || this.#is(part.text, "refused")) return;
    this.#draft.explain(
      index,
      `several rows contain ${quoteValue(part.text)}, so \`\${unique}\` is added to it`,
    );
    this.#change(source, splitForUnique(part.text));
  }

  /**
   * Decides on the strings that were made unique and that the request `index` is the first to send.
   */
  judge(index: number, isMatch: boolean): void {
    for (const made of this.#made) {
      if (made.state !== "tried" || made.source !== index) continue;
      if (isMatch) made.state = "accepted";
      else this.#refuse(made, "the response does not match the recording");
    }
  }

  /** Decides on the accepted strings of a round. `unshown` are the writes that it did not show. */
  endRound(unshown: ReadonlySet<number>): void {
    for (const made of this.#made) {
      if (made.state !== "accepted") continue;
      made.state = "kept";
      if (unshown.has(made.source)) this.#refuse(made, "still no response shows its work");
    }
  }

  #refuse(made: MadeUnique, result: string): void {
    const { source, unique } = made;
    made.state = "refused";
    this.#draft.editScenario(source, (request) => undoUnique(request, unique));
    const text = quoteValue(unique.text);
    this.#draft.explain(source, `if the request sends other text instead of ${text}, ${result}`);
  }

  #is(text: string, ...states: readonly MadeUnique["state"][]): boolean {
    return this.#made.some(({ recorded, state }) => recorded === text && states.includes(state));
  }

  /**
   * Returns the string that identifies an extractor's row, of which `template` is the `row` option.
   * Returns undefined if it contains expressions other than `${unique}`.
   */
  rowOf(template: string, { known, unique }: UserTexts): WorkTrace | undefined {
    let rendered = "";
    for (const part of parseTemplate(template)) {
      if (part.kind !== "text" && part.kind !== "unique") return undefined;
      rendered += part.kind === "text" ? part.text : unique;
    }
    const repair = this.#made.findLast((one) => one.template === template);
    const recorded = repair?.recorded ?? known.toRecorded(rendered);
    // A user may have sent the text before it became unique.
    return { recorded, live: known.liveOf(recorded) ?? recorded };
  }

  /**
   * Returns a string in the fixed text of an extractor that the plan no longer sends. The extractor
   * then finds the rows of other iterations, or none.
   */
  replacedIn({ left = "", right = "" }: { left?: string; right?: string }): string | undefined {
    return this.repairs.find(({ recorded }) =>
      [left, right].some((fixed) => boundedOffsets(fixed, recorded).length > 0)
    )?.recorded;
  }

  /**
   * Returns the strings that the user probably typed into writes up to the call `index`: no
   * recorded response contained them before. Omits those for which `isShown` returns false.
   */
  typedUpTo(
    index: number,
    isShown: (text: string) => boolean,
  ): Pick<UniqueRepair, "recorded" | "template">[] {
    return [...this.#draft.given.earlier(index), index].flatMap((i) => {
      const given = this.#draft.given.at(i);
      if (!isWriteRequest(given)) return [];
      const now = textsOf(this.#draft.at(i));
      return textsOf(given).flatMap(({ kind, template, numeric }, k) => {
        if (!IN_BODY.has(kind) || numeric || !NAME.test(template)) return [];
        if (!isShown(template) || this.#draft.recorded.isReceivedBefore(i, template)) return [];
        return [{ recorded: template, template: now[k].template }];
      });
    });
  }

  #change(source: number, unique: UniqueText): void {
    this.#draft.editScenario(source, (request) => makeUnique(request, unique));
    this.#add(source, unique, "tried");
  }

  #add(source: number, unique: UniqueText, state: MadeUnique["state"]): void {
    const template = uniqueTemplate(unique);
    this.#made.push({ recorded: unique.text, template, source, unique, state });
  }
}

/** Returns the texts that a refusal contains, or else those whose fields it names. */
function namedTexts(
  texts: readonly UniqueText[],
  recorded: ResponseSnapshot,
  live: ResponseSnapshot,
): UniqueText[] {
  const refusals = findRefusalTexts([recorded], live);
  const shown = texts.filter(({ text }) =>
    refusals.some((refusal) => boundedOffsets(refusal.text, text).length > 0)
  );
  return shown.length > 0 ? shown : texts.filter((one) => isNamed(one, refusals));
}

/** Returns the texts to change together in each trial: one, then all named ones, then others. */
function groupsToTry(named: readonly UniqueText[], all: readonly UniqueText[]): UniqueText[][] {
  const texts = (named.length > 0 ? named : all).slice(0, TRIALS_PER_CALL);
  // A user name and an e-mail address may both have to be unique.
  const together = [...new Set([...texts, ...all])].slice(0, TRIALS_PER_CALL);
  const groups = texts.slice(0, TRIALS_PER_CALL - 1).map((one) => [one]);
  for (const group of [texts, together]) {
    if (group.length > (groups.at(-1)?.length ?? 0)) groups.push(group);
  }
  return groups;
}

function isNamed({ names = [] }: UniqueText, refusals: readonly Leaf[]): boolean {
  return refusals.some((refusal) => {
    // The path of a text in a page consists of the names of elements.
    const { path } = refusal;
    const said = nameWords(path.startsWith("$") ? `${path} ${refusal.text}` : refusal.text);
    return names.some((name) => {
      const words = nameWords(name);
      const last = words.at(-1);
      return last !== undefined && (said.includes(last) || said.includes(words.join("")));
    });
  });
}

/** Methods that may create a resource at another URL, or none. */
const CREATING_ELSEWHERE: ReadonlySet<string> = new Set(["POST", "PATCH", "DELETE"]);

function createsUrl({ request, response }: Exchange): boolean {
  return response.status === 201 && !CREATING_ELSEWHERE.has(request.method.toUpperCase());
}
