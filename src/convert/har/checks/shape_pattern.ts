import { withoutValues } from "../../../traffic/compare/value_free_text.ts";

/** Returns text with `0` in place of the values that the plan extracts or that a user typed. */
export type MaskValues = (text: string) => string;

/** Returns text with `#` in place of each value that a server could have generated. */
export function textShape(text: string, mask: MaskValues): string {
  return withoutValues(mask(text));
}

/** Reports whether text contains no value that a server could have generated. */
export function isConstantText(text: string, mask: MaskValues): boolean {
  return !text.includes("#") && textShape(text, mask) === text;
}

/**
 * Returns the source of a regular expression for the texts whose `textShape` is `shape`. `value` is
 * the expression source to use in place of each `#`.
 */
export function shapePattern(shape: string, value: string): string {
  return shape.split("#").map(escapePattern).join(value);
}

/** Escapes the characters that have a special meaning in regular expressions. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
