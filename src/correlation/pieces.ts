import { isWordy } from "../traffic/session/dynamic_value.ts";
import { headerIn, type RecordedCall } from "../traffic/session/recorded_call.ts";
import {
  type FieldPart,
  isPathSegment,
  type RequestField,
} from "../traffic/session/request_field.ts";

/** A piece of a request: a range of a field's value that may come from a response. */
export interface Use {
  readonly value: string;
  readonly call: RecordedCall;
  readonly field: RequestField;
  /** Range of the piece in the field's decoded value, in UTF-16 code units. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /**
   * What the piece fills: the whole field, or everything after a header's auth scheme (`whole`);
   * one part of a structured field, such as a path segment of a URL or a string in JSON (`part`);
   * or only a range of the field or part (`piece`).
   */
  readonly fills: "whole" | "part" | "piece";
  /** The part of the field that the piece fills. Absent unless `fills` is `part`. */
  readonly part?: FieldPart;
}

/** Minimum length of a piece within a longer text; of one with a digit in a text without spaces. */
const SHORTEST_WORD = 8;
const SHORTEST_WITH_DIGIT = 4;
/** Maximum length of a text that is cut into words, in UTF-16 code units. */
const LONGEST_CUT = 8_192;

/** Matches base64, such as the state of a page, whose words are no values. */
const BASE64 = /^[\w+/-]+={0,2}$/;

const WORD = /[A-Za-z0-9\x80-\uffff]+/g;

/** Matches a date with a time, whose parts are no values: the clock of the client shows it. */
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g;

/**
 * The cuts of a text into words, from the longest to the shortest: at white space and delimiters,
 * at every character except those of an identifier, and at all separators.
 */
const CUTS = [/[^\s"'<>{}()[\]|&?#;,=:/\\]+/g, /[\w-]+/g, WORD, /\d+/g];

/** Matches text without the characters that separate words everywhere. */
const COMPOUND = /[^\s"'<>{}()[\]|&?#\\]+/g;
const MOST_WORDS = 8;

/** Yields the ranges of all runs of words in the compounds of a text. */
function* runsIn(text: string): Generator<[start: number, end: number]> {
  for (const { 0: compound, index } of text.matchAll(COMPOUND)) {
    const words = [...compound.matchAll(WORD)];
    if (words.length > MOST_WORDS) continue;
    const padding = /=*$/.exec(compound)![0].length;
    for (const [i, first] of words.entries()) {
      for (const last of words.slice(i)) {
        const end = last.index + last[0].length;
        yield [index + first.index, index + end];
        if (end + padding === compound.length) {
          yield [index + first.index, index + compound.length];
        }
      }
    }
  }
}

/** Reports whether a piece is the end of a name and consists of more than one identifier. */
export function isEndOfName({ value, field, start, end }: Omit<Use, "call" | "fills">): boolean {
  return field.kind === "name" && start > 0 && end === field.value.length && /[^\w-]/.test(value);
}

function* endsOf(field: RequestField): Generator<[start: number, end: number]> {
  const { value: name } = field;
  const end = name.length;
  for (const { index: start } of [...name.matchAll(WORD)].slice(0, MOST_WORDS)) {
    if (isEndOfName({ value: name.slice(start), field, start, end })) yield [start, end];
  }
}

/** Matches the number in a path segment such as `312.json`, `312-green-tea` or `Orders(312)`. */
const IN_SEGMENT =
  /^(?:[A-Za-z]\w*\(["']?)?((?!0+(?!\d))\d{1,3})(?:[.:-](?=[A-Za-z])(?!(?<=\.)html?$)|["']?\)$)/;

/** Returns the short number in a path segment that also has text. */
function numbersIn({ value }: RequestField): FieldPart[] {
  const number = IN_SEGMENT.exec(value)?.[1];
  if (number === undefined) return [];
  const start = value.indexOf(number);
  return [{ start, end: start + number.length, name: "", inPath: true }];
}

/** Returns the pieces of a field, each range once, the structured ones first. */
export function piecesOf(call: RecordedCall, field: RequestField): Use[] {
  const { value: text } = field;
  const pieces = new Map<number, Use>();
  const keyOf = (start: number, end: number) => start * (text.length + 1) + end;
  const add = (start: number, end: number, fills: Use["fills"], part?: FieldPart) => {
    const key = keyOf(start, end);
    if (start === end || pieces.has(key)) return;
    const value = text.slice(start, end);
    pieces.set(key, { value, call, field, start, end, fills, ...(part && { part }) });
  };
  for (const [start, end] of field.wholes()) add(start, end, "whole");
  const parts = [...field.parts(), ...isPathSegment(field) ? numbersIn(field) : []];
  for (const part of parts) add(part.start, part.end, "part", part);
  const isLong = text.length > LONGEST_CUT;
  if (field.numeric || isLong && BASE64.test(text)) return [...pieces.values()];
  const hasSpace = /\s/.test(text);
  const times = isLong
    ? []
    : [...text.matchAll(TIME)].map(({ 0: time, index }) => [index, index + time.length]);
  const isCompound = (start: number, end: number) =>
    !isLong && !hasSpace ||
    parts.some((part) =>
      part.start <= start && end <= part.end && !/\s/.test(text.slice(part.start, part.end))
    );
  const addWord = (start: number, end: number) => {
    if (end - start < SHORTEST_WITH_DIGIT || pieces.has(keyOf(start, end))) return;
    const word = text.slice(start, end);
    if (!isAtBorders(text, start, end) || isPort(text, start)) return;
    if (times.some(([from, to]) => start < to && from < end && end - start < to - from)) return;
    const isLongWord = word.length >= SHORTEST_WORD && !(hasSpace && isWordy(word));
    const isShort = /\d/.test(word) && isCompound(start, end) && !isInNumber(text, start, end);
    if (isLongWord || isShort) add(start, end, "piece");
  };
  if (!isLong) {
    const ranges = field.kind === "name" ? endsOf(field) : runsIn(text);
    for (const [start, end] of ranges) addWord(start, end);
  }
  for (const cut of isLong ? CUTS.slice(0, 1) : CUTS) {
    for (const { 0: word, index } of text.matchAll(cut)) addWord(index, index + word.length);
  }
  return [...pieces.values()];
}

/**
 * Reports whether a range of a text is not only a part of a longer word or number. A long number
 * can be next to letters, as in the name of a file.
 */
export function isAtBorders(text: string, start: number, end: number): boolean {
  const [before, after] = [text[start - 1] ?? "", text[end] ?? ""];
  if (/[A-Za-z0-9]/.test(after)) return false;
  const value = text.slice(start, end);
  // Not between the characters of an escape sequence.
  if (after === "\\" && value.endsWith("\\")) return false;
  if (!/[A-Za-z0-9]/.test(before)) return true;
  return LONG_ID.test(value) && /[A-Za-z]{2}$/.test(text.slice(Math.max(0, start - 2), start)) &&
    !(/[a-f]/.test(before) && /[a-f]/.test(value));
}

/** Matches ids that are unlikely to be equal to other text by chance. */
const LONG_ID = /^(?:\d{8,}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{16,})$/;

/** Reports whether a range of text belongs to a longer number, date, time or address. */
export function isInNumber(text: string, start: number, end: number): boolean {
  return /\d[.:-]$/.test(text.slice(Math.max(0, start - 2), start)) ||
    /^[.:-]\d/.test(text.slice(end, end + 2));
}

/**
 * Reports whether the number at an offset is the port of an origin, which moves as a whole, and not
 * the password of a URL.
 */
function isPort(text: string, start: number): boolean {
  return text[start - 1] === ":" &&
    /^\d{1,5}(?!\w|[^\s/?#"'<>]*@)/.test(text.slice(start, start + 100)) &&
    /:\/\/[\w.-]+:$/.test(text.slice(Math.max(0, start - 100), start));
}

/** Returns the name of the part, or else the field, that contains a piece. */
export function nameOf({ field, part }: Pick<Use, "field" | "part">): string {
  return part?.name ?? field.name;
}

/** Reports whether a piece is a segment of a path, also of a path within a field. */
export function isInPath({ field, part }: Use): boolean {
  return part === undefined ? field.kind === "path" && field.name === "" : part.inPath;
}

export function recordedText(pieces: readonly (string | RequestField)[]): string {
  return pieces.map((piece) => typeof piece === "string" ? piece : piece.recorded).join("");
}

/** Reports whether the request contains the piece percent-encoded. */
export function isEncoded({ value, field, start, end }: Use): boolean {
  return field.recorded.slice(...field.recordedRange(start, end)) !== value;
}

/** The `Referer` headers that repeat the URL of an earlier call. */
export class Referers {
  /** The headers that repeat the URL of a call, with the calls that send them. */
  readonly #repeated = new Map<RecordedCall, Pick<Use, "call" | "field">[]>();
  readonly #fields = new Set<RequestField>();

  constructor(calls: readonly RecordedCall[]) {
    const byUrl = new Map<string, RecordedCall>();
    for (const call of calls) {
      const field = headerIn(call, "referer");
      const page = field && byUrl.get(field.value);
      if (page !== undefined) {
        this.#fields.add(field!);
        this.#repeated.getOrInsertComputed(page, () => []).push({ call, field: field! });
      }
      byUrl.set(call.exchange.request.url.replace(/#.*$/s, ""), call);
    }
  }

  has(field: RequestField): boolean {
    return this.#fields.has(field);
  }

  /** Returns the uses in `Referer` headers that repeat a use in a URL. */
  repeating(use: Use): Use[] {
    const repeated = use.field.kind === "path" || use.field.kind === "query"
      ? this.#repeated.get(use.call) ?? []
      : [];
    if (repeated.length === 0) return [];
    const { path, query } = use.call.url;
    const pieces = [...path, ...query];
    const text = recordedText(pieces);
    const before = recordedText(pieces.slice(0, pieces.indexOf(use.field))).length;
    const [from, to] = use.field.recordedRange(use.start, use.end);
    return repeated.flatMap(({ call, field }): Use[] => {
      if (!field.value.endsWith(text)) return [];
      const offset = field.value.length - text.length + before;
      return [{ ...use, call, field, start: offset + from, end: offset + to, fills: "part" }];
    });
  }
}
