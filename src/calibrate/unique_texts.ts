import type { WorkTrace } from "../outcome/work.ts";
import type { Request } from "../plan/kinds/request.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { joinTemplate, parseTemplate } from "../plan/text/template.ts";
import { IN_BODY } from "../traffic/session/request_field.ts";
import { type PlanDraft, quoteValue } from "./draft.ts";
import { boundedOffsets, isWriteRequest, textsOf } from "./literal_edit.ts";
import {
  makeUnique,
  toUnique,
  undoUnique,
  uniqueTemplate,
  type UniqueText,
} from "./make_unique.ts";
import type { UniqueRepair, UserTexts } from "./trial.ts";

interface MadeUnique extends UniqueRepair {
  readonly unique: UniqueText;
  /**
   * `tried` until the response to the request, `accepted` until the end of its round, unless the
   * text was kept at once because a refused write then worked.
   */
  state: "tried" | "accepted" | "kept" | "refused";
}

/** The texts that a plan sends in a unique form, and the list rows that are found by them. */
export class UniqueTexts {
  readonly #draft: PlanDraft;
  readonly #made: MadeUnique[] = [];

  constructor(draft: PlanDraft) {
    this.#draft = draft;
  }

  get count(): number {
    return this.#made.length;
  }

  get repairs(): UniqueRepair[] {
    return this.#made.filter(({ state }) => state !== "refused");
  }

  is(text: string, ...states: readonly string[]): boolean {
    return this.#made.some(({ recorded, state }) => recorded === text && states.includes(state));
  }

  /** Adds a text of the request `index` that the server refused. */
  add(index: number, unique: UniqueText): void {
    const reason = unique.source === undefined
      ? "the application refused the recorded text"
      : "dates that the plan sent had passed";
    this.#add(unique.source ?? index, unique, "kept", reason);
  }

  #add(source: number, unique: UniqueText, state: MadeUnique["state"], reason: string): void {
    const template = uniqueTemplate(unique);
    const expression = joinTemplate([unique.expression])!;
    const isDate = unique.source !== undefined || undefined;
    const repair = { recorded: unique.text, template, expression, isDate, source, reason };
    this.#made.push({ ...repair, unique, state });
  }

  /**
   * Makes a text unique from now on. The response to the request `source` decides if it stays.
   * Returns false if the plan would be invalid.
   */
  try(source: number, unique: UniqueText, reason: string): boolean {
    const isUnique = this.#draft.tryEdit(() =>
      this.#draft.editScenario(source, (request) => makeUnique(request, unique))
    );
    if (isUnique) this.#add(source, unique, "tried", reason);
    return isUnique;
  }

  /** Decides on the texts that are tried, and that the request `index` is the first to send. */
  judge(index: number, isRight: boolean): void {
    for (const made of this.#made) {
      if (made.state !== "tried" || made.source !== index) continue;
      if (isRight) made.state = "accepted";
      else this.#refuse(made, "the response does not match the recording");
    }
  }

  /** Decides on the accepted texts of a round. `unshown` are the writes that it did not show. */
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

  /**
   * Makes the text unique by which the call `index` finds a row, because several rows contain it,
   * or a text in it: that which a search sends, or the longest that only one write sends. Does
   * nothing if the text cannot be changed. `template` is what the plan sends.
   */
  makeRowUnique(index: number, template: string): void {
    const [part, ...more] = parseTemplate(template);
    if (part.kind !== "text" || more.length > 0) return;
    const sent = [...this.#draft.given.earlier(index), index].flatMap((source) =>
      textsOf(this.#draft.at(source)).flatMap(({ kind, template: text }) =>
        IN_BODY.has(kind) && boundedOffsets(part.text, text).length > 0 ? [{ source, text }] : []
      )
    );
    const isSearched = (text: string) =>
      this.#draft.requests.some((request) =>
        !isWriteRequest(request) && textsOf(request).some(({ template }) => template === text)
      );
    const parts = [...Map.groupBy(sent, ({ text }) => text).values()].map(([one, ...more]) => ({
      ...one,
      isOwn: more.length === 0,
    })).sort((a, b) => b.text.length - a.text.length);
    const first = parts.find(({ text }) => text === part.text) ??
      parts.find(({ text }) => isSearched(text)) ?? parts.find(({ isOwn }) => isOwn);
    if (first === undefined || this.is(first.text, "refused")) return;
    const { source, text } = first;
    const reason = "several rows contain the recorded text";
    if (!this.try(source, toUnique(text, this.#draft.requests), reason)) return;
    this.#draft.explain(
      index,
      `several rows contain ${quoteValue(part.text)}, so \`\${unique}\` is added to it`,
    );
  }

  /** Restores everywhere the texts that a request sends in a unique form, and `kept` does not. */
  undoIn(index: number, kept: Request): void {
    const sends = (request: Request, { template }: MadeUnique) =>
      requestTexts(request).some((text) => text.template.includes(template));
    const request = this.#draft.at(index);
    for (
      const { source, unique } of this.#made.filter((made) =>
        sends(request, made) && !sends(kept, made)
      )
    ) this.#draft.editScenario(source, (request) => undoUnique(request, unique));
  }

  /**
   * Returns the string that identifies an extractor's row, of which `template` is the `row` option.
   * Returns undefined if it contains expressions other than `${unique}`.
   */
  rowOf(template: string, { known, unique }: UserTexts): WorkTrace | undefined {
    let [rendered, isUnique] = ["", false];
    for (const part of parseTemplate(template)) {
      if (part.kind !== "text" && part.kind !== "unique") return undefined;
      rendered += part.kind === "text" ? part.text : unique;
      isUnique ||= part.kind === "unique";
    }
    const repair = this.#made.findLast((made) => made.template === template);
    const recorded = repair?.recorded ?? known.toRecorded(rendered);
    // A user may have sent the text before it became unique.
    return {
      recorded,
      live: isUnique ? known.liveOf(recorded) ?? known.toLive(recorded) : rendered,
    };
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
}
