import type { KnownPairs } from "../correlation/known_pairs.ts";
import { requestTexts } from "../plan/request_texts.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { type CalibrationLog, quoteValue } from "./calibration_log.ts";
import { boundedOffsets } from "./literal_edit.ts";
import type { PlanDraft } from "./plan_draft.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { UniqueRepair } from "./repair.ts";
import {
  makeUnique,
  splitForUnique,
  undoUnique,
  uniqueTemplate,
  type UniqueText,
  uniqueTexts,
} from "./unique_texts.ts";
import { isWriteRequest } from "./write_budget.ts";

/**
 * String by which an extractor identifies a list row: its form in the recorded response, and its
 * form in a live response to one user.
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

/** Fixed text before and after the value that an extractor finds. */
export interface BoundaryTexts {
  readonly left?: string;
  readonly right?: string;
}

/** Matches a string that can name an object and contains no expression. */
const NAME = /^(?!.*\$\{)(?=.*\p{L})[^\n\r\\]{3,120}$/u;

/**
 * A string to which `${unique}` was added, because several rows of a list contained it, or the
 * server may have refused it. The server has not accepted or refused the result yet.
 */
interface PendingText {
  /** Zero-based index of the first request that sends the string. */
  readonly source: number;
  readonly unique: UniqueText;
}

/**
 * Strings that identify list rows for extractors, and the templates that the plan sends in their
 * place.
 */
export class RowTexts {
  readonly #draft: PlanDraft;
  readonly #recordedSide: RecordedSide;
  readonly #log: CalibrationLog;
  readonly #mayRename: boolean;
  /** Recorded strings, keyed by the template that is sent in their place. */
  readonly #recorded = new Map<string, string>();
  /**
   * Strings to which `${unique}` was added, until a response shows whether the server accepts this.
   * Keyed by the recorded string.
   */
  readonly #pending = new Map<string, PendingText>();
  /** Recorded strings that the server did not accept after `${unique}` was added to them. */
  readonly #refused = new Set<string>();

  /**
   * Starts with no replaced strings. `mayRename` is false if strings must not be replaced, because
   * no response can show whether the server accepts other strings.
   */
  constructor(draft: PlanDraft, recorded: RecordedSide, log: CalibrationLog, mayRename = true) {
    this.#mayRename = mayRename;
    this.#draft = draft;
    this.#recordedSide = recorded;
    this.#log = log;
  }

  /** Reports whether the server refused a recorded string after `${unique}` was added to it. */
  isRefused(text: string): boolean {
    return this.#refused.has(text);
  }

  /** Remembers that the plan sends a template in place of a recorded string. */
  replace({ recorded, template }: UniqueRepair): void {
    this.#recorded.set(template, recorded);
  }

  /**
   * Returns a recorded string that the fixed text of an extractor contains, although the plan sends
   * a template in its place. The extractor then finds the rows of other iterations, or none.
   */
  replacedIn({ left = "", right = "" }: BoundaryTexts): string | undefined {
    return [...this.#recorded.values()].find((text) =>
      !this.#refused.has(text) &&
      [left, right].some((fixed) => boundedOffsets(fixed, text).length > 0)
    );
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
      if (!isWriteRequest(given)) return [];
      const now = requestTexts(this.#draft.at(i));
      return requestTexts(given).flatMap(({ kind, template, numeric }, k): TypedRowText[] => {
        if (!IN_BODY.has(kind) || numeric || !NAME.test(template)) return [];
        if (!isShown(template) || this.#recordedSide.isReceivedBefore(i, template)) return [];
        return [{ recorded: template, template: now[k].template }];
      });
    });
  }

  /**
   * Returns the string that identifies an extractor's list row. `template` is the value of the
   * extractor's `row` option. Returns undefined if it contains expressions other than `${unique}`.
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
   * Adds `${unique}` to a string in all requests of the scenario that send it, because several rows
   * in the response to the request `index` contain the string. Returns undefined if the string
   * cannot be changed.
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
    this.#log.add(
      index,
      `several rows contain ${quoteValue(part.text)}, so \`\${unique}\` is added to it`,
    );
    return this.#change(source, splitForUnique(part.text));
  }

  /**
   * Adds `${unique}` to a string of the write `index`, and to the same string in other requests of
   * the scenario, because the server may have refused the write. The next response to the write
   * shows whether the server accepts this. Returns undefined if no string is left to try. A server
   * may send the same response again to a repeated request, so that the request cannot be repeated
   * in place.
   */
  tryLater(index: number): UniqueRepair | undefined {
    const isFromServer = (text: string) => this.#recordedSide.isReceivedBefore(index, text);
    const isTaken = (name: string) => this.#draft.usesUuid(name);
    const unique = uniqueTexts(this.#draft.at(index), { isFromServer, isTaken })
      .find(({ text }) => !this.#refused.has(text) && !this.#pending.has(text));
    if (unique === undefined) return undefined;
    this.#log.add(
      index,
      `the server may have refused ${quoteValue(unique.text)}, so the next round sends other text`,
    );
    return this.#change(index, unique);
  }

  #change(source: number, unique: UniqueText): UniqueRepair {
    this.#draft.editScenario(source, (request) => makeUnique(request, unique));
    const repair: UniqueRepair = {
      kind: "unique",
      recorded: unique.text,
      template: uniqueTemplate(unique),
      source,
    };
    this.replace(repair);
    this.#pending.set(unique.text, { source, unique });
    return repair;
  }

  /**
   * Decides whether to keep the strings with `${unique}` that the request `index` was the first to
   * send. Keeps them if `isAsRecorded` is true. Otherwise, restores the recorded strings.
   */
  judge(index: number, isAsRecorded: boolean): void {
    for (const [text, { source, unique }] of this.#pending) {
      if (source !== index) continue;
      this.#pending.delete(text);
      if (isAsRecorded) continue;
      this.#draft.editScenario(index, (request) => undoUnique(request, unique));
      this.#refused.add(text);
      this.#log.add(
        index,
        `if the request sends other text instead of ${quoteValue(text)}, the response does not ` +
          "match the recording",
      );
    }
  }
}

const IN_BODY: ReadonlySet<string> = new Set(["json", "form", "multipart"]);
