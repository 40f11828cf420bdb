import { type IdShape, idShape } from "../id_shape.ts";
import { type NameHint, nameHint } from "./field_names.ts";

/** Reason why a value looks server-generated: the name of its field, or the shape of the value. */
export type DynamicBy = "name" | "jwt" | IdShape;

const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/;
const DIGITS = /^\d+$/;
const PLAIN_WORD = /^(?:[a-z]{1,7}|[A-Z]{1,7}|[A-Z][a-z]{1,6})$/;
const SWITCH = /^(?:true|false|null|none|undefined)$/i;
const NOT_A_TOKEN = /\s|^https?:\/\//i;
/** Maximum length of an id or token in UTF-16 units; longer values are documents. */
const LONGEST = 8_192;

/**
 * Returns the reason why a value looks dynamic, or undefined if it does not. `name` is the name of its
 * field; an empty string if it has none.
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
 * Reports whether a value looks like a token regardless of its field's name: 16 to 8,192 characters with
 * letters and digits, without spaces, and not a URL.
 */
export function isOpaque(value: string): boolean {
  return value.length >= 16 && value.length <= LONGEST && !NOT_A_TOKEN.test(value) &&
    /\d/.test(value) && /[A-Za-z]/.test(value);
}
