import { isNumber } from "../../base/exact_number.ts";

/** Describes a value in words that can follow "found", such as `the text "abc"` or `a list`. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return `the text ${JSON.stringify(shortened(value))}`;
  if (isNumber(value)) return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "a list" : "a map";
}

function shortened(text: string): string {
  return text.length > 60 ? text.slice(0, 59) + "…" : text;
}
