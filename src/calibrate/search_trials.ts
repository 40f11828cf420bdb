import { decodePercent } from "../base/string_escapes.ts";
import { call } from "../plan/expressions/expression.ts";
import type { Request } from "../plan/kinds/request.ts";
import { mapRequestTexts, type RequestText, requestTexts } from "../plan/request_texts.ts";
import { formatExpression, parseTemplate, type TemplatePart } from "../plan/text/template.ts";
import { type CalibrationLog, quoteValue } from "./calibration_log.ts";
import type { DraftState, PlanDraft } from "./plan_draft.ts";
import type { SearchRepair, UniqueRepair } from "./repair.ts";

/** Maximum total number of trials in a calibration. */
const MOST_TRIALS = 8;
/** Minimum length of a search term, in UTF-16 code units. */
const SHORTEST = 3;

/** The current trial: a search request that is repeated with a different search term. */
interface Trial {
  readonly before: DraftState;
  readonly repair: SearchRepair;
}

/**
 * Retries requests that search for a part of a string to which the plan adds `${unique}`. Such a
 * search also finds the strings of other users and iterations, so the response differs from the
 * recorded one. Instead, a trial searches for the whole string, including `${unique}`.
 */
export class SearchTrials {
  readonly #draft: PlanDraft;
  readonly #unique: () => readonly UniqueRepair[];
  readonly #log: CalibrationLog;
  readonly #tried = new Set<string>();
  #trial: Trial | undefined;

  /**
   * Creates the object without starting a trial. `unique` returns the strings to which the plan
   * adds `${unique}`.
   */
  constructor(draft: PlanDraft, unique: () => readonly UniqueRepair[], log: CalibrationLog) {
    this.#draft = draft;
    this.#unique = unique;
    this.#log = log;
  }

  /**
   * Reports whether a request has a search term that can be replaced and that was not tried before.
   * Does not start a trial.
   */
  canStart(index: number): boolean {
    return this.#find(index) !== undefined;
  }

  /**
   * Starts a trial for a search request whose response differs from the recording. Returns false if
   * nothing is left to try.
   */
  start(index: number): boolean {
    const found = this.#find(index);
    if (found === undefined) return false;
    const { text, template } = found;
    this.#tried.add(text);
    this.#trial = {
      before: this.#draft.save(),
      repair: { kind: "search", recorded: text, template, source: index },
    };
    this.#draft.editScenario(index, (request) => replaceSearch(request, text, template));
    return true;
  }

  /**
   * Looks in the query of a request for a search term that is a part of a string to which the plan
   * adds `${unique}`. Returns the term and the template that replaces the string, or undefined if
   * no such term is left to try.
   */
  #find(index: number): { readonly text: string; readonly template: string } | undefined {
    if (this.#tried.size >= MOST_TRIALS) return undefined;
    for (const { kind, template } of requestTexts(this.#draft.at(index))) {
      const text = kind === "query" ? searchText(template) : undefined;
      if (text === undefined || this.#tried.has(text)) continue;
      const whole = this.#findWhole(index, text);
      if (whole !== undefined) return { text, template: whole.template };
    }
    return undefined;
  }

  /** Ends the current trial and keeps its search term in the plan. */
  accept(): SearchRepair {
    const { repair } = this.#trial!;
    this.#trial = undefined;
    return repair;
  }

  /** Ends the current trial and restores the recorded search term. */
  reject(): void {
    const { before, repair: { source, recorded } } = this.#trial!;
    this.#draft.restore(before);
    this.#trial = undefined;
    this.#log.add(
      source,
      `with a search term other than ${
        quoteValue(recorded)
      }, the result differs from the recording`,
    );
  }

  /**
   * Searches the strings to which the plan adds `${unique}` for one that contains the search term
   * `text` and that a request before `index` sends. Returns undefined if there is no such string.
   */
  #findWhole(index: number, text: string): UniqueRepair | undefined {
    return this.#unique().find(({ recorded, source, template }) =>
      source < index && this.#draft.areTogether(source, index) && recorded !== text &&
      parseTemplate(template).some(({ kind }) => kind === "unique") && startsWord(recorded, text)
    );
  }
}

/** Returns the decoded value of a query parameter, or undefined if it cannot be a search term. */
function searchText(template: string): string | undefined {
  const text = decodePercent(template.replaceAll("+", " ")) ?? "";
  return text.length >= SHORTEST && /\p{L}/u.test(text) && !text.includes("${") ? text : undefined;
}

/** Encodes a part of a template for use in the query of a URL. */
function encodePart(part: TemplatePart): string {
  if (part.kind === "text") return encodeURIComponent(part.text.toWellFormed());
  const isSafe = part.kind === "unique" ||
    part.kind === "call" && (part.name === "url_encode" || part.name === "uuid");
  return formatExpression(isSafe ? part : call("url_encode", part));
}

/** Reports whether `text` contains `part` at the start of a word. */
function startsWord(text: string, part: string): boolean {
  const at = text.toLowerCase().indexOf(part.toLowerCase());
  return at === 0 || (at > 0 && !/[\p{L}\p{N}]/u.test(text[at - 1]));
}

/**
 * Replaces the search term `search` with `template` in the query parameters of a request, both in
 * its URL and in `params`. In the URL, percent-encodes the text of the template and the values of
 * its expressions.
 */
export function replaceSearch(request: Request, search: string, template: string): Request {
  const encoded = parseTemplate(template).map(encodePart).join("");
  const replaced = (text: RequestText, written: string) =>
    text.kind === "query" && searchText(text.template) === search ? written : text.template;
  const { url } = mapRequestTexts({ url: request.url }, (text) => replaced(text, encoded));
  const { params } = mapRequestTexts(
    { url: "", params: request.params },
    (text) => replaced(text, template),
  );
  return { ...request, url, ...(params !== undefined && { params }) };
}
