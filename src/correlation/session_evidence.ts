import { isShortNumber } from "../traffic/session/dynamic_value.ts";
import { redirectTarget, resolveUrl } from "../traffic/session/kept_calls.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import type { RequestField } from "../traffic/session/request_field.ts";
import { isInPath, type Use } from "./pieces.ts";
import type { Source } from "./source.ts";
import { encodedRange } from "./views.ts";
import { callWords, consumerWords, mayChangeData, pathWords } from "./request_words.ts";
import { haveCommonWord, isCount, resourceWords } from "./words.ts";

/** Maximum length of a text that becomes a name in a path, in UTF-16 code units. */
const LONGEST_NAME = 120;

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
          if (kind !== "header" && kind !== "path" && value.length <= LONGEST_NAME) {
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
  isCreated(use: Use, { call, collection, where }: Source, first: Source): boolean {
    const words = resourceOf(use);
    const isAbout = (other: RecordedCall) => haveCommonWord(callWords(other), words);
    if (mayChangeData(call)) {
      const isAddress = where === "header" && isShortNumber(use.value) &&
        haveCommonWord(resourceWords(collection), words);
      const isNew = (where === "link" || isAddress) && isInPath(use) && first.call === call;
      return (isAbout(call) || isNew) && !isSentBack(use, call);
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
