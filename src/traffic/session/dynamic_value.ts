import { type IdShape, idShape } from "../id_shape.ts";

/** Reason why a value looks server-generated: the name of its field (`name`), or its shape. */
export type DynamicBy = "name" | "jwt" | IdShape;

const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/;
const DIGITS = /^\d+$/;
const PLAIN_WORD = /^(?:[a-z]{1,7}|[A-Z]{1,7}|[A-Z][a-z]{1,6})$/;
const SWITCH = /^(?:true|false|null|none|undefined)$/i;
const NOT_A_TOKEN = /\s|^https?:\/\//i;
/** Maximum length of an id or token in UTF-16 units. Longer values are probably documents. */
const LONGEST = 8_192;

/**
 * Returns the reason why a value looks dynamic, or undefined if it does not. `name` is the name of its
 * field, or an empty string if the field has no name.
 */
export function dynamicBy(name: string, value: string): DynamicBy | undefined {
  if (value.length === 0 || value.length > LONGEST) return undefined;
  const hint = nameHint(name);
  if ((hint.dynamic || hint.maybe) && dynamicInName(hint, value)) return "name";
  return dynamicShape(value);
}

function dynamicInName({ dynamic, surely }: NameHint, value: string): boolean {
  if ((surely ? SWITCH : PLAIN_WORD).test(value) || NOT_A_TOKEN.test(value)) return false;
  return dynamic || (value.length >= 6 && /\d/.test(value));
}

/** Returns the machine-generated shape of a value, or undefined if it has none. */
export function dynamicShape(value: string): IdShape | "jwt" | undefined {
  return idShape(value) ?? (value.length >= 16 && JWT.test(value) ? "jwt" : undefined);
}

/**
 * Reports whether a value is a number of fewer than four digits, which could also be a count, a page or
 * a size.
 */
export function isShortNumber(value: string): boolean {
  return value.length < 4 && DIGITS.test(value);
}

/**
 * Reports whether a value looks like a token regardless of its field's name: it has 16 to 8,192
 * characters, contains letters and digits but no spaces, and is not a URL.
 */
export function isOpaque(value: string): boolean {
  return value.length >= 16 && value.length <= LONGEST && !NOT_A_TOKEN.test(value) &&
    /\d/.test(value) && /[A-Za-z]/.test(value);
}

const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\p{ASCII}]+/gu;

/**
 * Splits a field's name into lower-case words. Words end at camelCase boundaries, between letters and
 * digits, and at other ASCII characters.
 */
export function nameWords(name: string): string[] {
  return (name.match(WORD) ?? []).map((word) => word.toLowerCase());
}

/** What the name of a field suggests about its values. */
export interface NameHint {
  /** True if values of the field are dynamic unless they are plain words. */
  readonly dynamic: boolean;
  /**
   * True if even plain words in the field are dynamic, as for `csrfToken` and `order_id`, but not
   * `token_type`.
   */
  readonly surely: boolean;
  /**
   * True if values of the field are dynamic only if they look machine-generated, as for `key` and
   * `code`.
   */
  readonly maybe: boolean;
  /** True if the name suggests an id. Then even short numbers are dynamic. */
  readonly idLike: boolean;
}

const WITHIN = /token|csrf|xsrf|session|nonce|jwt|cursor|uuid/;
const TOKEN = /token|nonce|jwt/;
const WORDS = new Set(["sid", "guid"]);
const LAST = new Set(["id", "ids", "state", "hash", "signature", "ticket", "secret"]);
const LAST_MAYBE = new Set(["key", "code"]);
const ID = new Set(["id", "ids", "uuid", "uuids", "guid", "guids"]);

/** Matches `userid` and `revid`, but not other words that end in `id`, such as `valid`. */
const COMPOUND_ID =
  /^[a-z]{3,}(?<!(?:pa|vo|val|sol|flu|liqu|gr|hybr|rig|rap|cand|hum|pyram|viv|andro))ids?$/;

const known = new Map<string, NameHint>();

/** Classifies the name of a field. Caches the results, because names often repeat in a recording. */
export function nameHint(name: string): NameHint {
  let hint = known.get(name);
  if (hint === undefined) {
    hint = classify(name);
    if (known.size < 100_000) known.set(name, hint);
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
  };
}
