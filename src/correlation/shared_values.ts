import { Base64Field, base64Fields } from "../traffic/session/base64_text.ts";
import { isShortNumber, nameHint } from "../traffic/session/dynamic_value.ts";
import { headerValue } from "../traffic/har/recording.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import type { RequestField } from "../traffic/session/request_field.ts";
import { isNamedSecret } from "../traffic/session/secret_names.ts";
import { isAction } from "./place_rules.ts";
import { SentIndex, type SentMatch, textBefore } from "./sent_index.ts";
import { isAtBorders, isInNumber, piecesOf, type Use } from "./pieces.ts";
import { type Source, sourceAt } from "./source.ts";
import { forEachView, type Response } from "./views.ts";
import { callWords, mayChangeData } from "./request_words.ts";

/** A call of the session, and what other sessions with the same steps show. */
export interface Step {
  readonly call: RecordedCall;
  /** The recorded response, and those to the same call in other sessions if they are comparable. */
  readonly responses: readonly Response[];
  /** The same call in a second recording. What a browser sent there is evidence. */
  readonly again?: RecordedCall;
}

/** Returns the step of a call that is known from one recording. */
export function recordedStep(call: RecordedCall): Step {
  return { call, responses: [call.exchange.response] };
}

/** A text that requests send and responses contain. */
export interface SharedValue {
  readonly value: string;
  /** Its places in requests, in the order in which they are sent. */
  readonly uses: readonly Use[];
  /** Its places in responses, in the order in which the responses ended. */
  readonly sources: readonly Source[];
  /** What a second recording sends in its place: the same text if it is a constant. */
  readonly other?: string | undefined;
}

const MOST_IN_RESPONSE = 24;
/** Maximum number of responses with a value after the same text; of responses to writes. */
const MOST_EARLY = 4;
const MOST_WRITES = 8;
/** Maximum number of uses for which the nearest place of a short number is sought. */
const MOST_NEAREST = 256;

/** What is known about a text in the fields of one kind and name. Most headers repeat. */
interface SentText {
  hasBase64?: boolean;
  isIndexed?: boolean;
  isWanted?: boolean;
  /** The pieces of the text that responses contain, as uses by one of the calls. */
  shared?: readonly { readonly use: Use; readonly matches: readonly SentMatch[] }[];
}

/**
 * Finds the texts that requests send and responses contain, in the order of their first use. Omits
 * the fields for which `isSought` returns false.
 */
export function sharedValues(
  steps: readonly Step[],
  isSought: (field: RequestField) => boolean,
): SharedValue[] {
  const texts = new SentTexts();
  const fields = steps.map(({ call }) => texts.fieldsOf(call, isSought));
  const index = indexTexts(steps, fields, texts);
  scanResponses(steps, index);
  return [...findUses(steps, fields, texts, index)].flatMap(([value, { uses, matches }]) => {
    const sources = sourcesOf(value, matches, uses, steps);
    return sources.length > 0 ? { value, uses, sources } : [];
  });
}

/** Indexes the texts that requests send, and makes scans search for their pieces. */
function indexTexts(
  steps: readonly Step[],
  fields: readonly (readonly RequestField[])[],
  texts: SentTexts,
): SentIndex {
  const index = new SentIndex();
  for (const [order, sent] of fields.entries()) {
    // A link to the same path shares more with the request than a value in the path.
    const link = steps[order].call.exchange.request.url.replace(/^\w+:\/\/[^/]*/, "");
    index.add(link);
    for (const field of sent) {
      const text = texts.of(field);
      if (!text.isIndexed) index.add(field.value);
      text.isIndexed = true;
    }
  }
  for (const [order, sent] of fields.entries()) {
    for (const field of sent) {
      const text = texts.of(field);
      if (text.isWanted) continue;
      text.isWanted = true;
      const parts = index.partsOf(field.value);
      for (const { start, end } of piecesOf(steps[order].call, field)) parts.want(start, end);
    }
  }
  return index;
}

/** Searches the responses in the order in which they ended. */
function scanResponses(steps: readonly Step[], index: SentIndex): void {
  const byEnd = steps.toSorted((a, b) =>
    a.call.endedAt - b.call.endedAt || a.call.order - b.call.order
  );
  const start = byEnd.reduce(
    (least, { call }) => Math.min(least, call.exchange.startedAt),
    Infinity,
  );
  for (const { call, responses } of byEnd) {
    if (!isOldScript(call, start)) {
      forEachView(responses[0], (view) => index.scan(view, call.order));
    }
  }
}

/** Returns the uses of each piece of a request that a response contains, and its matches there. */
function findUses(
  steps: readonly Step[],
  fields: readonly (readonly RequestField[])[],
  texts: SentTexts,
  index: SentIndex,
): Map<string, { uses: Use[]; matches: readonly SentMatch[] }> {
  const values = new Map<string, { uses: Use[]; matches: readonly SentMatch[] }>();
  const secrets = new EncodedSecrets(steps.map(({ call }) => call));
  for (const [order, { call }] of steps.entries()) {
    for (const field of fields[order]) {
      const text = texts.of(field);
      const shared = text.shared ??= sharedPieces(call, field, index);
      if (field instanceof Base64Field && secrets.isIn(field, shared.map(({ use }) => use))) {
        continue;
      }
      for (const { use: piece, matches } of shared) {
        const use = { ...piece, call, field };
        const value = values.get(use.value);
        if (value === undefined) values.set(use.value, { uses: [use], matches });
        else value.uses.push(use);
      }
    }
  }
  return values;
}

/** Reports whether a response is a script that the server had before the time `start`. */
function isOldScript({ exchange: { request, response } }: RecordedCall, start: number): boolean {
  return request.method === "GET" && response.mimeType.includes("javascript") &&
    Date.parse(headerValue(response.headers, "last-modified") ?? "") <= start;
}

function sharedPieces(call: RecordedCall, field: RequestField, index: SentIndex) {
  const parts = index.partsOf(field.value);
  return piecesOf(call, field).flatMap((use) => {
    const matches = parts.matches(use.start, use.end);
    return matches.length > 0 ? { use, matches } : [];
  });
}

class SentTexts {
  readonly #byKind = new Map<string, Map<string, Map<string, SentText>>>();

  of(field: RequestField): SentText {
    const kind = field instanceof Base64Field ? "base64" : field.numeric ? "number" : field.kind;
    return this.#byKind.getOrInsertComputed(kind, () => new Map())
      .getOrInsertComputed(field.name, () => new Map())
      .getOrInsertComputed(field.recorded, (): SentText => ({}));
  }

  /** Returns the fields of a call that are sought, and the texts that they contain in base64. */
  fieldsOf(call: RecordedCall, isSought: (field: RequestField) => boolean): RequestField[] {
    const all: RequestField[] = [];
    for (const field of call.fields) {
      if (!isSought(field)) continue;
      all.push(field);
      const text = this.of(field);
      if (text.hasBase64 === false) continue;
      const inner = base64Fields(field, field.parts());
      text.hasBase64 = inner.length > 0;
      all.push(...inner);
    }
    return all;
  }
}

/** Returns the places of a value, at most one for each name in a response. */
function sourcesOf(
  value: string,
  matches: readonly SentMatch[],
  uses: readonly Use[],
  steps: readonly Step[],
): Source[] {
  const needed = neededMatches(value, matches, uses, steps);
  const sources: Source[] = [];
  const counts = new Map<number, number>();
  const seen = new Set<string>();
  // A place that shares more than the value with a request comes first.
  const ranked = [...needed.keys()].sort((a, b) =>
    a.order === b.order ? b.atoms - a.atoms || a.number - b.number : a.number - b.number
  );
  for (const match of ranked) {
    const { order, view, end, number } = match;
    const count = counts.get(order) ?? 0;
    if (count === MOST_IN_RESPONSE) continue;
    const occurrence = { view, start: end - value.length, end };
    const source = sourceAt(steps[order].call, occurrence, number, needed.get(match));
    const names = source.path.join(".");
    const isInAction = isShortNumber(value) &&
      uses.slice(0, MOST_NEAREST).some((use) => isAction(use, occurrence));
    const key = [order, source.where, source.key, source.collection, names, isInAction].join(" ");
    if (seen.has(key)) continue;
    seen.add(key);
    counts.set(order, count + 1);
    sources.push(source);
  }
  return sources;
}

/**
 * Returns the first matches of a value after the same text, those in responses to writes, and,
 * because equal numbers are often different values, the last one before each use of a short number:
 * it is needed only for these uses.
 */
function neededMatches(
  value: string,
  matches: readonly SentMatch[],
  uses: readonly Use[],
  steps: readonly Step[],
): Map<SentMatch, Set<Use> | undefined> {
  const needed = new Map<SentMatch, Set<Use> | undefined>();
  for (const group of groupAlike(value, matches, steps).values()) {
    const early = new Set<number>();
    const writes = new Set<number>();
    for (const match of group) {
      const { order } = match;
      if (early.size < MOST_EARLY) early.add(order);
      else if (writes.size < MOST_WRITES && mayChangeData(steps[order].call)) writes.add(order);
      if (early.has(order) || writes.has(order)) needed.set(match, undefined);
    }
    if (!isShortNumber(value) || early.size < MOST_EARLY) continue;
    const last = lastMatches(group);
    let at = 0;
    for (const use of uses.slice(0, MOST_NEAREST)) {
      while (last[at + 1]?.order < use.call.order) at++;
      const match = last[at];
      if (match.order >= use.call.order) continue;
      if (needed.has(match) && needed.get(match) === undefined) continue;
      needed.set(match, (needed.get(match) ?? new Set()).add(use));
    }
  }
  return needed;
}

/** Returns the last match before each order, in ascending order. */
function lastMatches(matches: readonly SentMatch[]): SentMatch[] {
  const last: SentMatch[] = [];
  for (const match of matches) {
    while (last.length > 0 && last.at(-1)!.order >= match.order) last.pop();
    last.push(match);
  }
  return last;
}

/** Groups the matches of a whole value by the text before them. */
function groupAlike(
  value: string,
  matches: readonly SentMatch[],
  steps: readonly Step[],
): Map<string, SentMatch[]> {
  const whole = matches.filter(({ view: { text }, end }) => {
    const start = end - value.length;
    return isAtBorders(text, start, end) &&
      !(/^\d{1,7}$/.test(value) && isInNumber(text, start, end));
  });
  return Map.groupBy(whole, ({ view, order, end }) => {
    const before = textBefore(view, end - value.length);
    // The ids of different resources have the same name.
    const isBareId = before === view.key && nameHint(before).idLike;
    return isBareId ? [before, ...callWords(steps[order].call)].join(" ") : before;
  });
}

/** Reports whether two pieces of a request contain the same characters. */
export function overlaps(a: Use, b: Use): boolean {
  const [outerA, outerB] = [rangeOf(a), rangeOf(b)];
  if (outerA.field !== outerB.field) return false;
  if (a.field === b.field) return a.start < b.end && b.start < a.end;
  return outerA.start < outerB.end && outerB.start < outerA.end;
}

function rangeOf({ field, start, end }: Use): Pick<Use, "field" | "start" | "end"> {
  return field instanceof Base64Field
    ? { field: field.outer, start: field.start, end: field.end }
    : { field, start, end };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds secrets, such as passwords, in text that requests send in base64. */
class EncodedSecrets {
  readonly #calls: readonly RecordedCall[];
  #known: Set<string> | undefined;

  constructor(calls: readonly RecordedCall[]) {
    this.#calls = calls;
  }

  /**
   * Reports whether a text contains a secret outside of the `replaced` ranges. The plan would then
   * contain the secret as plain text. Secrets are the password of HTTP Basic authentication, parts
   * whose name indicates a secret, and values that a request sends in a field with such a name.
   */
  isIn(text: Base64Field, replaced: readonly Range[]): boolean {
    const isLeft = ({ start, end }: Range) =>
      start < end && !replaced.some((range) => range.start <= start && range.end >= end);
    const password = text.value.indexOf(":") + 1;
    const isBasic = /^basic /i.test(text.outer.value) && password > 0;
    if (isBasic && isLeft({ start: password, end: text.value.length })) return true;
    return text.parts().some((part) => {
      const value = text.value.slice(part.start, part.end);
      return isLeft(part) && (isNamedSecret(part.name, value) || this.#sent().has(value));
    });
  }

  #sent(): Set<string> {
    return this.#known ??= new Set(
      this.#calls.flatMap(({ fields }) =>
        fields.filter(({ name, value }) => isNamedSecret(name, value)).map(({ value }) => value)
      ),
    );
  }
}
