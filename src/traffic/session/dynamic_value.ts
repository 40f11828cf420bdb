import { type IdShape, idShape } from "../id_shape.ts";

/** Shape of a value that looks generated. `timestamp` has a fraction of a second. */
export type DynamicShape = IdShape | "jwt" | "timestamp";

/** Why a value looks generated: the name of its field, or its shape. */
export type DynamicBy = "name" | DynamicShape;

const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/;
const DIGITS = /^\d+$/;
/** Matches a short word. */
export const PLAIN_WORD = /^(?:[a-z]{1,7}|[A-Z]{1,7}|[A-Z][a-z]{1,6})$/;
/** Matches the name of a value of a switch, or of no value, also between signs: `$undefined`. */
export const SWITCH = /^\W?(?:true|false|null|none|undefined)\W?$/i;
const NOT_A_TOKEN = /\s|^https?:\/\//i;
/** Longer values are probably documents. */
const LONGEST_VALUE = 2 ** 20;

/** Returns why a value looks server-generated. `name` is that of its field, or empty. */
export function dynamicBy(name: string, value: string): DynamicBy | undefined {
  if (value.length === 0 || value.length > LONGEST_VALUE) return undefined;
  const hint = nameHint(name);
  if ((hint.dynamic || hint.maybe) && dynamicInName(hint, value)) return "name";
  if (hint.stamp && STAMP.test(value)) return "name";
  return dynamicShape(value);
}

/**
 * Matches the version of a resource, which a client sends back: a number, a time, an entity tag or
 * base64, but not the version of a program, such as `1.14.2`.
 */
export const STAMP =
  /^(?:\d+|\d{4}-\d\d-\d\d[T .]\d\d:\d\d\S*|(?:W\/)?"[^"]*"|[\w+/]{7,}=*=|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT)$/;

/** Matches a time with a fraction of a second, except midnight, which is usually a date. */
const TIMESTAMP =
  /^(?:\d{4}-\d\d-\d\d[T ](?!00:00:00[.,]0+(?!\d))\d\d:\d\d:\d\d[.,]\d{3,9}(?:Z|[+-]\d\d:?\d\d)?|\d{9,10}\.\d{3,9})$/;

function dynamicInName({ dynamic, surely }: NameHint, value: string): boolean {
  if (SWITCH.test(value) || !surely && PLAIN_WORD.test(value) || NOT_A_TOKEN.test(value)) {
    return false;
  }
  return dynamic || (value.length >= 6 && /\d/.test(value));
}

/** Returns the shape of a value that looks machine-generated, or undefined for any other value. */
export function dynamicShape(value: string): DynamicShape | undefined {
  const shape = idShape(value);
  if (shape !== undefined || value.length < 13) return shape;
  if (value.length >= 16 && JWT.test(value)) return "jwt";
  return TIMESTAMP.test(value) ? "timestamp" : undefined;
}

/** Reports whether a value has up to three digits: it may also be a count, a page or a size. */
export function isShortNumber(value: string): boolean {
  return value.length < 4 && DIGITS.test(value);
}

const DIGIT = /\d/;
const LETTER = /[A-Za-z]/;

/** Reports whether a value looks like a token regardless of its field's name. */
export function isOpaque(value: string): boolean {
  return value.length >= 16 && value.length <= LONGEST_VALUE && !NOT_A_TOKEN.test(value) &&
    DIGIT.test(value) && LETTER.test(value);
}

const TOKENS = /[A-Za-z0-9]+/g;
const LETTER_TO_DIGIT = /[A-Za-z](?=\d)|\d(?=[A-Za-z])/g;
const DATE = /\b\d{4}-\d\d-\d\d(?!\d)/g;
const YEAR = /^(?:19|20)\d\d$/;

/** Matches letters around one digit. */
const NUMBERED = /^([A-Za-z]{4,})\d([A-Za-z]{4,})$/;

function isNumberedName(token: string): boolean {
  const [, first, second] = NUMBERED.exec(token) ?? [];
  return first !== undefined && isWordy(first) && isWordy(second);
}

/**
 * Reports whether a token of a value is a number of four digits (no year or date), mixes letters
 * and digits (`x8Kd2`, but not `page2`), or case at random (`lONLmg`, but not `gitHub`).
 */
export function looksGenerated(value: string): boolean {
  if (dynamicShape(value) !== undefined) return !isShortNumber(value) && !YEAR.test(value);
  return (value.replace(DATE, "").match(TOKENS) ?? []).some((token) => {
    if (DIGITS.test(token)) return token.length >= 4 && !YEAR.test(token);
    if (isNumberedName(token)) return false;
    const changes = token.match(LETTER_TO_DIGIT)?.length ?? 0;
    return changes > 1 && token.length >= 5 || changes === 1 && token.length >= 8 ||
      /\d{5}/.test(token) || isRandomCase(token);
  });
}

const LETTERS_OF_BOTH_CASES = /^(?=[A-Z]*[a-z])(?=[a-z]*[A-Z])[A-Za-z]{6,}$/;

/** The camelCase words are short on average. Ignores the `s` of a plural such as `URLs`. */
function isRandomCase(token: string): boolean {
  if (!LETTERS_OF_BOTH_CASES.test(token)) return false;
  const words = token.replace(/(?<=[A-Z]{2})s(?![a-z])/, "").match(CAMEL_WORD)!;
  const isLong = token.length >= 16 && /[A-Z]{2}/.test(token) &&
    words.filter((word) => VOWELLESS.test(word)).length > 1;
  return words.length > 2 && token.length < (isLong ? 3.5 : 2.5) * words.length;
}

/** Matches a word with lower-case letters that nobody can pronounce. */
const VOWELLESS = /^[A-Z]?[b-df-hj-np-tv-xz]{2,}$/;

const CAMEL_WORD = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;
const PRONOUNCEABLE = /^(?!.*[^aeiouy]{5}).*[aeiouy].*$/i;

/** Reports whether a value consists of words, such as `account-console`, and is a constant. */
export function isWordy(value: string): boolean {
  if (!/^[A-Za-z]+(?:[-_.:/ ]+[A-Za-z]+)*$/.test(value)) return false;
  return value.split(/[^A-Za-z]+/).every((part) => {
    const words = part.match(CAMEL_WORD) ?? [];
    return words.length <= 1 + part.length / 4 &&
      words.every((word) => word.length < 4 || PRONOUNCEABLE.test(word));
  });
}

const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\p{ASCII}]+/gu;

const words = new Map<string, readonly string[]>();

/** Splits a name into lower-case words: at camelCase, digits, and other ASCII characters. */
export function nameWords(name: string): readonly string[] {
  let found = words.get(name);
  if (found === undefined) {
    found = (name.match(WORD) ?? []).map((word) => word.toLowerCase());
    if (words.size < MOST_KNOWN && name.length <= LONGEST_KNOWN) words.set(name, found);
  }
  return found;
}

/** Maximum number of names that are remembered, and their maximum length in UTF-16 code units. */
const [MOST_KNOWN, LONGEST_KNOWN] = [100_000, 100];

/** What the name of a field suggests about its values. */
export interface NameHint {
  /** Values are generated, unless they are plain words. */
  readonly dynamic: boolean;
  /** Even plain words are generated, as for `csrfToken` and `order_id`, but not `token_type`. */
  readonly surely: boolean;
  /** Values that look machine-generated are, as for `key` and `code`. */
  readonly maybe: boolean;
  /** The name suggests an id, so that even short numbers are generated. */
  readonly idLike: boolean;
  readonly token: boolean;
  /** Values are versions of a resource, or times of its last change. */
  readonly stamp: boolean;
}

/** Matches words such as `etag`, `lock_version`, `updatedAt`, `if_seq_no` or `If-Match`. */
const STAMP_NAME =
  /(?:^| )(?:(?:[a-z]*timestamp|[a-z]*etag|e tag|(?:row|lock)?version|revision|rev|generation|seq no|if match|primary term)(?: id)?|(?:last ?)?(?:modified|updated|changed|edited)(?: at| on| time| date| ts)?|last ?(?:activity|update|change|edit|modification)(?: at| on| time| date| ts)?|modification (?:time|date)|if unmodified since)$/;

const WITHIN = /token|csrf|xsrf|session|nonce|jwt|cursor|uuid/;
const TOKEN = /token|nonce|jwt/;
const WORDS = new Set(["sid", "guid"]);
const LAST = new Set(["id", "ids", "state", "hash", "signature", "ticket", "secret"]);
const LAST_MAYBE = new Set(["key", "code"]);
const ID = new Set(["id", "ids", "uuid", "uuids", "guid", "guids", "pk"]);

/** Matches `userid`, `revid` and `nid`, but not other words that end in `id`, such as `valid`. */
const COMPOUND_ID =
  /^[a-z]{3,}(?<!(?:pa|vo|val|sol|flu|liqu|gr|hybr|rig|rap|cand|hum|pyram|viv|andro))ids?$|^[cfgnoptuvwx]ids?$/;

const hints = new Map<string, NameHint>();

/** Classifies the name of a field. Names often repeat in a recording. */
export function nameHint(name: string): NameHint {
  let hint = hints.get(name);
  if (hint === undefined) {
    hint = classify(name);
    if (hints.size < MOST_KNOWN) hints.set(name, hint);
  }
  return hint;
}

function classify(name: string): NameHint {
  const words = nameWords(name);
  const last = words.at(-1) ?? "";
  const isCompound = COMPOUND_ID.test(last);
  return {
    surely: TOKEN.test(last) || /_id$/i.test(name) ||
      (ID.has(last) && words.some((word) => WITHIN.test(word))),
    dynamic: LAST.has(last) || isCompound ||
      words.some((word) => WORDS.has(word) || WITHIN.test(word)),
    maybe: LAST_MAYBE.has(last),
    idLike: ID.has(last) || isCompound,
    token: words.some((word) => WITHIN.test(word) || WORDS.has(word)),
    stamp: STAMP_NAME.test(words.join(" ")),
  };
}
