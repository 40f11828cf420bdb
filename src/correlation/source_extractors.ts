import { fixedRow } from "../extract/extractors.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { dynamicShape } from "../traffic/session/dynamic_value.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { IN_BODY } from "../traffic/session/request_field.ts";
import { isUserName, ROLE } from "../traffic/session/secret_names.ts";
import type { SharedValue, Step } from "./shared_values.ts";
import { extractorFor } from "./propose.ts";
import type { Known } from "./propose_text.ts";
import type { Source } from "./source.ts";
import { extractValue, type TestedExtractor } from "./try_extractor.ts";
import { mayChangeData, sendsPassword } from "./request_words.ts";
import { hasSameName } from "./words.ts";

/**
 * Maximum number of values that are searched in the text of one response. Each search reads the
 * whole text, and nobody can review more variables. The other values stay as recorded.
 */
const MOST_IN_TEXT = 1_000;
/** Matches the parts of a text that can be values. */
const TOKEN = /[^\s/=&?#"'\\<>;,:(){}[\]]+/g;

/** The extractors of values, which are tested once for each source. */
export class SourceExtractors {
  readonly #steps: ReadonlyMap<RecordedCall, Step>;
  readonly #typed: TypedTexts;
  readonly #logins: readonly string[];
  #changing: ReadonlySet<string> = new Set();
  readonly #tested = new Map<Source, TestedExtractor | undefined>();
  /** Number of values that were searched in the text of the response to a call. */
  readonly #searched = new Map<RecordedCall, number>();

  /** `received` are the values that responses contain. */
  constructor(steps: readonly Step[], received: readonly SharedValue[]) {
    this.#steps = new Map(steps.map((step) => [step.call, step]));
    const calls = steps.map(({ call }) => call);
    this.#typed = new TypedTexts(calls, received);
    this.#logins = loginTexts(calls);
  }

  /** Sets the values of variables, which differ in the next session. */
  setVariables(values: Iterable<string>): void {
    this.#changing = new Set(values);
  }

  of(source: Source): TestedExtractor | undefined {
    return this.#tested.getOrInsertComputed(source, () => {
      const searched = (this.#searched.get(source.call) ?? 0) + (source.where === "leaf" ? 0 : 1);
      this.#searched.set(source.call, searched);
      return searched > MOST_IN_TEXT ? undefined : this.#find(source);
    });
  }

  /**
   * Prefers an extractor without the values of variables, which are known when all are assigned.
   */
  stable(source: Source): TestedExtractor | undefined {
    return this.#find(source) ?? this.of(source);
  }

  /** Reports whether an extractor returns the value from a source. */
  canExtract(source: Source): boolean {
    // A path to a whole string of a JSON body always exists.
    return source.where === "leaf" && source.others === undefined || this.of(source) !== undefined;
  }

  /** Returns the text of the user by which the extractor finds the list item, if it does. */
  typedRow(source: Source): string | undefined {
    const extractor = this.of(source)?.extractor;
    const row = extractor && fixedRow(extractor);
    return row !== undefined && this.#typed.writerOf(row) !== undefined ? row : undefined;
  }

  /** Returns the position of the first call that sent the text of `typedRow`. */
  writerOfRow(source: Source): number | undefined {
    const row = this.typedRow(source);
    return row === undefined ? undefined : this.#typed.writerOf(row);
  }

  /** Reports whether the extractor finds the list item by its position. */
  usesPosition(source: Source): boolean {
    const extractor = this.of(source)?.extractor;
    return extractor?.type === "jsonpath" && /\[-?\d+\]/.test(extractor.expression);
  }

  /** Returns what the extractor returns from the responses to the call in other sessions. */
  inOtherResponses(source: Source): (string | undefined)[] {
    const [, ...others] = this.#steps.get(source.call)!.responses;
    const extractor = others.length === 0 ? undefined : this.of(source)?.extractor;
    return extractor === undefined
      ? []
      : others.map((other) => leafText(extractValue(extractor, other)));
  }

  /**
   * Returns the first extractor that works, also on the second response if it contains the value;
   * else one that finds nothing there, because the second recording may be of another deployment.
   */
  #find({ occurrence, others, call }: Source): TestedExtractor | undefined {
    const known: Known = {
      isReply: (members) =>
        mayChangeData(call) &&
        !members.some((one) => (this.#typed.writerOf(String(one)) ?? Infinity) < call.order),
      host: URL.parse(call.exchange.request.url)?.host,
      typed: (text) => (this.#typed.writerOfWhole(text) ?? Infinity) <= call.order,
      joined: (text) => (this.#typed.writerOf(text) ?? Infinity) <= call.order,
      changing: (text) =>
        this.#typed.writerOfWhole(text) === undefined &&
          this.#logins.some((login) => namesLogin(text, login)) ||
        this.#changing.size > 0 &&
          text.matchAll(TOKEN).some(([token]) => this.#changing.has(token)),
    };
    if (others === undefined) return extractorFor(occurrence, known);
    for (const other of others) {
      const tested = extractorFor(occurrence, known, [other]);
      if (tested !== undefined) return tested;
    }
    const alone = extractorFor(occurrence, known);
    const isUnseen = ({ extractor }: TestedExtractor) =>
      others.every(({ view }) => extractValue(extractor, view.response) === undefined);
    return alone !== undefined && isUnseen(alone) ? alone : undefined;
  }
}

/** Matches the name or the address of a user, but no plain word. */
const LOGIN = /^(?=.*[\d@.])(?=.*\p{L})[\p{L}\d@.+_-]{5,100}$/u;

/** Returns the texts that are sent with a password: another user replaces them. */
function loginTexts(calls: readonly RecordedCall[]): string[] {
  return calls.filter(sendsPassword).flatMap(({ fields }) =>
    fields.flatMap(({ kind, name, value }) =>
      IN_BODY.has(kind) &&
        (LOGIN.test(value) || isUserName(name) && !hasSameName(name, value) && !ROLE.test(value))
        ? [value]
        : []
    )
  );
}

/** Reports whether a text contains a login: a plain name as one of several words. */
function namesLogin(text: string, login: string): boolean {
  if (LOGIN.test(login)) return text.includes(login);
  return text !== login && text.matchAll(WORD).some(([word]) => word === login);
}

/** Minimum and maximum length of a text that a user types as a name, in UTF-16 code units. */
const [SHORTEST_TYPED, LONGEST_TYPED] = [3, 120];
/** Maximum length of a table or a file in which texts of the user are sought. */
const LONGEST_FILE = 16_384;

/** Matches the words of a text. */
const WORD = /[\p{L}\p{N}]+/gu;

/** The texts that the user typed: those that a write sent before any response contained them. */
class TypedTexts {
  readonly #writers: ReadonlyMap<string, number>;
  readonly #joined = new Map<string, number | undefined>();

  constructor(calls: readonly RecordedCall[], received: readonly SharedValue[]) {
    this.#writers = typedTexts(calls, received);
  }

  /** Returns the position of the first call that sent a text. */
  writerOfWhole(text: string): number | undefined {
    return this.#writers.get(text);
  }

  /** Returns the position of the call with which the user had typed all of a text, if any. */
  writerOf(text: string): number | undefined {
    return this.writerOfWhole(text) ??
      this.#joined.getOrInsertComputed(text, () => this.#writerOfParts(text));
  }

  /** As `writerOf`, for a text that joins several typed ones, such as a first and a last name. */
  #writerOfParts(text: string): number | undefined {
    if (text.length > LONGEST_TYPED) return undefined;
    const words = [...text.matchAll(WORD)];
    const writers: number[] = [];
    let [typedLetters, otherLetters] = [0, 0];
    for (let at = 0; at < words.length; at++) {
      const from = words[at].index;
      const end = words.findLastIndex(({ 0: word, index }) =>
        index >= from && this.#writers.has(text.slice(from, index + word.length))
      );
      if (end < 0 && /\p{N}/u.test(words[at][0])) return undefined;
      if (end < 0) {
        otherLetters += words[at][0].length;
        continue;
      }
      const typed = text.slice(from, words[end].index + words[end][0].length);
      typedLetters += typed.length;
      writers.push(this.#writers.get(typed)!);
      at = end;
    }
    // Many other words are a sentence of the server, which may change.
    return writers.length < 2 || otherLetters * 2 > typedLetters ? undefined : Math.max(...writers);
  }
}

/** Maps each typed text to the position of the first call that sent it. */
function typedTexts(
  calls: readonly RecordedCall[],
  received: readonly SharedValue[],
): ReadonlyMap<string, number> {
  const typed = new Map<string, number>();
  for (const call of calls) {
    // A name that is sent with a password is the user's own, which another user replaces.
    if (isSafeMethod(methodOf(call)) || sendsPassword(call)) continue;
    const fields = call.fields.filter(({ kind, numeric }) => IN_BODY.has(kind) && !numeric);
    const texts = [...fields.map(({ value }) => value), ...filesIn(call)];
    for (const value of [...texts, ...texts.flatMap(cellsIn)]) {
      const isOfLength = value.length >= SHORTEST_TYPED && value.length <= LONGEST_TYPED;
      if (dynamicShape(value) !== undefined) continue;
      if (isOfLength && /\p{L}/u.test(value) && !/[\n\r\\]/.test(value)) {
        typed.getOrInsert(value, call.order);
      }
    }
  }
  for (const { value, sources } of received) {
    const order = typed.get(value) ?? -Infinity;
    if (sources.some(({ call }) => call.order < order)) typed.delete(value);
  }
  return typed;
}

function filesIn({ body }: RecordedCall): string[] {
  if (body?.kind !== "multipart") return [];
  return body.parts.flatMap(({ recorded: { filename }, field }) =>
    filename === undefined || field === undefined ? [] : [field.value]
  );
}

/** Matches an encoded form, as in a message of a page whose state is on the server. */
const FORM = /^[\w%.[\]-]+=[^\s=&]*(?:&[\w%.[\]-]+=[^\s=&]*)*$/;

/**
 * Returns the values of an encoded form, or the texts between delimiters in text of several lines,
 * such as a table or a card.
 */
export function cellsIn(text: string): string[] {
  if (FORM.test(text)) return [...new URLSearchParams(text).values()];
  return text.length > LONGEST_FILE || !/[\r\n]/.test(text) ? [] : text.split(/[\r\n\t:;,"]+/);
}
