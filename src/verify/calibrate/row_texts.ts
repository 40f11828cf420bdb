import type { KnownPairs } from "../../traffic/compare/known_pairs.ts";
import { requestMethod } from "../../plan/kinds/steps/request_name.ts";
import { requestTexts } from "../../plan/request_texts.ts";
import { parseTemplate } from "../../plan/text/template.ts";
import { type CalibrationLog, quoteValue } from "./calibration_log.ts";
import type { PlanDraft } from "./plan_draft.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { UniqueRepair } from "./repair.ts";
import {
  makeUnique,
  splitForUnique,
  undoUnique,
  uniqueTemplate,
  type UniqueText,
} from "./unique_texts.ts";
import { isWrite } from "./write_budget.ts";

/**
 * Text by which an extractor finds its row: in the recorded response, and in a live response to one
 * user.
 */
export interface RowText {
  readonly recorded: string;
  readonly live: string;
}

/** What a user sends in an iteration in place of recorded values. */
export interface SentTexts {
  readonly known: KnownPairs;
  /** Value of `${unique}` in this iteration. */
  readonly unique: string;
}

/** A string that the user typed, and the template that the plan sends in its place. */
export interface TypedRowText {
  readonly recorded: string;
  readonly template: string;
}

/** Matches a string that can name an object and contains no expression. */
const NAME = /^(?!.*\$\{)(?=.*\p{L})[^\n\r\\]{3,120}$/u;

/** A string that was made unique because it appeared in several rows. */
interface PendingText {
  /** Zero-based index of the first request that sends the text. */
  readonly source: number;
  readonly unique: UniqueText;
}

/** Strings by which extractors find the rows of lists. */
export class RowTexts {
  readonly #draft: PlanDraft;
  readonly #recordedSide: RecordedSide;
  readonly #log: CalibrationLog;
  readonly #mayRename: boolean;
  /** Recorded strings, by the template that is sent in their place. */
  readonly #recorded = new Map<string, string>();
  /** Strings that were made unique, until a response shows whether the server accepts them. */
  readonly #pending = new Map<string, PendingText>();
  /** Strings that the server did not accept after `${unique}` was added. */
  readonly #refused = new Set<string>();

  /**
   * Creates an object without replaced strings. `mayRename` is false if no response can show
   * whether the server accepts other strings.
   */
  constructor(draft: PlanDraft, recorded: RecordedSide, log: CalibrationLog, mayRename = true) {
    this.#mayRename = mayRename;
    this.#draft = draft;
    this.#recordedSide = recorded;
    this.#log = log;
  }

  /** Reports whether the server refused a string after `${unique}` was added. */
  isRefused(text: string): boolean {
    return this.#refused.has(text);
  }

  /** Records that a template is sent in place of a recorded text. */
  replace({ recorded, template }: UniqueRepair): void {
    this.#recorded.set(template, recorded);
  }

  /**
   * Returns the strings that the user probably typed, each with the template that the plan sends
   * instead. These are strings in the bodies of writes before the request `index`. `isShown`
   * reports whether a response shows a string; other strings are omitted. Strings that a response
   * contained before the write are also omitted.
   */
  typedBefore(index: number, isShown: (text: string) => boolean): TypedRowText[] {
    return this.#draft.earlier(index).flatMap((i) => {
      const given = this.#draft.original(i);
      if (!isWrite(requestMethod(given))) return [];
      const now = requestTexts(this.#draft.at(i));
      return requestTexts(given).flatMap(({ kind, template, numeric }, k): TypedRowText[] => {
        if (!IN_BODY.has(kind) || numeric || !NAME.test(template)) return [];
        if (!isShown(template) || this.#recordedSide.isReceivedBefore(i, template)) return [];
        return [{ recorded: template, template: now[k].template }];
      });
    });
  }

  /**
   * Returns the text by which an extractor finds its row. `template` is the value of its option
   * `row`. Returns undefined if the text cannot be determined.
   */
  textOf(template: string, { known, unique }: SentTexts): RowText | undefined {
    let rendered = "";
    for (const part of parseTemplate(template)) {
      if (part.kind !== "text" && part.kind !== "unique") return undefined;
      rendered += part.kind === "text" ? part.text : unique;
    }
    const recorded = this.#recorded.get(template) ?? known.toRecorded(rendered);
    // A user may have sent the text before it became unique.
    return { recorded, live: known.liveOf(recorded) ?? recorded };
  }

  /**
   * Makes a string unique in all requests of the scenario that send it, because several rows in the
   * response to the request `index` show it. Returns undefined if the text cannot be made unique.
   */
  makeUnique(index: number, template: string): UniqueRepair | undefined {
    const [part, ...more] = parseTemplate(template);
    if (!this.#mayRename) return undefined;
    if (part.kind !== "text" || more.length > 0 || this.#refused.has(part.text)) return undefined;
    const source = this.#draft.earlier(index).find((i) =>
      requestTexts(this.#draft.at(i)).some(({ kind, template: sent }) =>
        IN_BODY.has(kind) && sent === template
      )
    );
    if (source === undefined) return undefined;
    const unique = splitForUnique(part.text);
    this.#draft.editScenario(index, (request) => makeUnique(request, unique));
    this.#log.add(index, `${quoteValue(part.text)} appears in several rows, so it must be unique`);
    const repair: UniqueRepair = {
      kind: "unique",
      recorded: part.text,
      template: uniqueTemplate(unique),
      source,
    };
    this.replace(repair);
    this.#pending.set(part.text, { source, unique });
    return repair;
  }

  /**
   * Keeps the unique strings that the request `index` sends, provided that its response matches the
   * recording. Otherwise, restores the recorded strings.
   */
  judge(index: number, isAsRecorded: boolean): void {
    for (const [text, { source, unique }] of this.#pending) {
      if (source !== index) continue;
      this.#pending.delete(text);
      if (isAsRecorded) continue;
      this.#draft.editScenario(index, (request) => undoUnique(request, unique));
      this.#refused.add(text);
      this.#log.add(index, `refused with text other than ${quoteValue(text)}`);
    }
  }
}

const IN_BODY: ReadonlySet<string> = new Set(["json", "form", "multipart"]);
