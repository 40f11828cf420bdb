import { escapeRegex } from "../../../base/string_escapes.ts";
import { withoutValues } from "../../../correlation/value_free_text.ts";
import type { RecordedCall } from "../../../traffic/session/recorded_call.ts";
import { ValueIndex, withShown } from "../../../traffic/session/value_index.ts";
import type { Correlation } from "../../../correlation/correlate.ts";

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
 * Returns the source of a regular expression for strings whose `textShape` is `shape`. `value` is
 * the expression source to use in place of each `#`.
 */
export function shapePattern(shape: string, value: string): string {
  return shape.split("#").map(escapeRegex).join(value);
}

/** Kinds of fields that can contain text that a user typed. */
const TYPED: ReadonlySet<string> = new Set(["form", "multipart", "json"]);

/**
 * Returns a function that puts `0` in place of the values that differ in each run. These are the
 * values that the plan extracts or could extract, and text with spaces that the recorded user
 * typed.
 */
export function changingValueMask(
  calls: readonly RecordedCall[],
  correlation: Correlation,
): MaskValues {
  // Built when it is needed, because most conversions write no checks.
  let index: ValueIndex | undefined;
  return (text) => {
    index ??= indexChangingValues(calls, correlation);
    return withShown(text, index.find(text).map((found) => ({ ...found, text: "0" })));
  };
}

function indexChangingValues(
  calls: readonly RecordedCall[],
  { variables, offers }: Correlation,
): ValueIndex {
  const index = new ValueIndex();
  for (const { candidate } of [...variables, ...offers]) index.add(candidate.value);
  for (const { fields } of calls) {
    for (const { kind, value } of fields) {
      if (TYPED.has(kind) && value.length <= 200 && value.includes(" ")) index.add(value);
    }
  }
  return index;
}
