import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { isShortNumber } from "../traffic/session/dynamic_value.ts";
import { redirectTarget, resolveUrl } from "../traffic/session/kept_calls.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { IN_BODY, type RequestField } from "../traffic/session/request_field.ts";
import { isPasswordName } from "../traffic/session/secret_names.ts";
import type { SharedValue } from "./explain_pieces.ts";
import { isInPath, type Use } from "./pieces.ts";
import type { Known } from "./propose_text.ts";
import type { Source } from "./source.ts";
import { encodedRange } from "./views.ts";
import {
  callWords,
  consumerWords,
  haveCommonWord,
  isCount,
  mayChangeData,
  pathWords,
  resourceWords,
} from "./words.ts";

const LONGEST_TYPED = 120;

function pathName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9\x80-\uffff]+/g, "-");
}

/** What the order of the calls shows about values. */
export class SessionEvidence {
  readonly #writes: { readonly order: number; readonly words: readonly string[] }[] = [];
  /** The write that redirected to a URL, directly or through other redirects. */
  readonly #redirected = new Map<string, RecordedCall>();
  /** What the user typed in writes, as the words of a path: `tea-at-five` for `Tea at five`. */
  readonly #typed = new Set<string>();
  readonly #first = new Map<string, number>();

  constructor(calls: readonly RecordedCall[]) {
    for (const call of calls) {
      const isWrite = mayChangeData(call);
      if (isWrite) {
        const names = call.fields.filter(({ kind }) => kind === "form").map(({ name }) => name);
        const words = [...callWords(call), ...pathWords(call), ...names.flatMap(resourceWords)];
        this.#writes.push({ order: call.order, words });
        for (const { kind, value } of call.fields) {
          if (kind !== "header" && kind !== "path" && value.length <= LONGEST_TYPED) {
            this.#typed.add(pathName(value));
          }
        }
      }
      const target = redirectTarget(call);
      const origin = isWrite ? call : this.#redirected.get(call.exchange.request.url);
      if (target !== undefined && origin !== undefined) this.#redirected.set(target, origin);
      const page = pageOf(call);
      if (!this.#first.has(page)) this.#first.set(page, call.order);
    }
  }

  /**
   * Reports whether a write created the object that a request identifies: the response to the write
   * or to its redirect contains the value, or the first response that contains it was also received
   * before the write, without the value. `first` is the first place of the value after the same
   * words.
   */
  isCreated(use: Use, { call, where }: Source, first: Source): boolean {
    const words = resourceOf(use);
    const isAbout = (one: RecordedCall) => haveCommonWord(callWords(one), words);
    if (mayChangeData(call)) {
      return (isAbout(call) || where === "link" && isInPath(use) && first.call === call) &&
        !isSentBack(use, call);
    }
    if (first.call !== call) return false;
    const origin = this.#redirected.get(call.exchange.request.url);
    if (origin !== undefined && origin.order < call.order && isAbout(origin)) return true;
    const before = this.#first.get(pageOf(call)) ?? call.order;
    return this.#writes.some(({ order, words: written }) =>
      order > before && order < call.order && haveCommonWord(written, words)
    );
  }

  /** Reports whether a server made a name from what the user typed. */
  isTyped({ value }: Use): boolean {
    return this.#typed.has(pathName(value));
  }

  /** Reports whether a request only gets the address in the header that contains the value. */
  isFollowed({ call, field }: Use, { where, occurrence, call: { exchange } }: Source): boolean {
    if (where !== "header" || (field.kind !== "path" && field.kind !== "query")) return false;
    const { text } = (encodedRange(occurrence) ?? occurrence).view;
    return /[/?]/.test(text) &&
      resolveUrl(text, exchange.request.url) === call.exchange.request.url;
  }
}

function pageOf(call: RecordedCall): string {
  return `${methodOf(call)} ${call.exchange.request.url.replace(/[?#].*$/s, "")}`;
}

/** Returns the words of the resource that a request identifies with a value. */
function resourceOf(use: Use): readonly string[] {
  const words = consumerWords(use);
  return words.length > 0 || use.field.kind !== "json" ? words : callWords(use.call);
}

/** Reports whether a call itself sends the value, so that its response only returns it. */
function isSentBack(use: Use, { fields }: RecordedCall): boolean {
  const { value } = use;
  const words = resourceOf(use);
  /** Equal numbers of different resources are different values. */
  const isOfOther = ({ name }: RequestField) =>
    isShortNumber(value) && !isCount(name) && resourceWords(name).length > 0 &&
    !haveCommonWord(resourceWords(name), words);
  return fields.some((field) =>
    field.kind !== "header" && field.value === value && !isOfOther(field)
  );
}

const SHORTEST_TYPED = 3;
const TOKEN = /[^\s/=&?#"'\\<>;,:(){}[\]]+/g;

/**
 * Maximum length of an uploaded file in which texts of the user are sought, in UTF-16 code units.
 */
const LONGEST_FILE = 16_384;

/**
 * Returns the texts between delimiters in the files that a call uploads, such as a table or a card.
 */
function textsInFiles({ body }: RecordedCall): string[] {
  if (body?.kind !== "multipart") return [];
  return body.parts.flatMap(({ recorded: { filename }, field }) =>
    filename === undefined || field === undefined || field.value.length > LONGEST_FILE
      ? []
      : field.value.split(/[\r\n\t:;,"]+/)
  );
}

/** What the session shows about the texts around values. */
export class KnownTexts {
  readonly #typed = new Map<string, number>();
  #changing: ReadonlySet<string> = new Set();

  constructor(calls: readonly RecordedCall[]) {
    for (const call of calls) {
      // A name that is sent with a password is the user's own, which another user replaces.
      if (isSafeMethod(methodOf(call)) || call.fields.some(({ name }) => isPasswordName(name))) {
        continue;
      }
      const fields = call.fields.filter(({ kind, numeric }) => IN_BODY.has(kind) && !numeric);
      for (const value of [...fields.map(({ value }) => value), ...textsInFiles(call)]) {
        if (
          value.length < SHORTEST_TYPED || value.length > LONGEST_TYPED || this.#typed.has(value)
        ) {
          continue;
        }
        if (/\p{L}/u.test(value) && !/[\n\r\\]/.test(value)) this.#typed.set(value, call.order);
      }
    }
  }

  /** Removes the texts that an earlier response contained. */
  setReceived(values: readonly SharedValue[]): void {
    for (const { value, sources } of values) {
      const order = this.#typed.get(value);
      if (order !== undefined && sources.some(({ call }) => call.order < order)) {
        this.#typed.delete(value);
      }
    }
  }

  /** Adds the values of variables, which differ in the next session. */
  setVariables(values: Iterable<string>): void {
    this.#changing = new Set(values);
  }

  /** Returns the position of the first call that sent a text which the user typed. */
  writerOf(text: string): number | undefined {
    return this.#typed.get(text);
  }

  /** Returns what is known before the response to a call. */
  before(call: RecordedCall): Known {
    const { order } = call;
    return {
      isReply: mayChangeData(call),
      typed: (text) => (this.#typed.get(text) ?? Infinity) <= order,
      changing: (text) =>
        this.#changing.size > 0 && text.matchAll(TOKEN).some(([one]) => this.#changing.has(one)),
    };
  }
}
