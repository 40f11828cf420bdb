import { count, formatNumber, percent, time } from "../../base/format.ts";

/** Unit of a compared metric. A `share` is from 0 to 1, and a `time` is in milliseconds. */
export type Unit = "count" | "number" | "share" | "time";

/** Formats a value in a unit, such as `4.32ms` or `1.20%`. */
export function inUnit(value: number, unit: Unit): string {
  return FORMATS[unit](value);
}

const FORMATS: Readonly<Record<Unit, (value: number) => string>> = {
  count,
  number: formatNumber,
  share: percent,
  time,
};

/**
 * Minimum ratio of two values that is shown as a factor, such as `77 times`, instead of a
 * percentage.
 */
const LEAST_FACTOR = 10;

/**
 * Formats a relative change with a sign: `+12.00%`, `−3.50%`. If the new value is at least 10 times
 * the old one, returns the factor instead, such as `77 times`. Returns `–` if the change is
 * undefined.
 */
export function changeText(change: number | undefined): string {
  if (change === undefined) return "–";
  const factor = 1 + change;
  if (factor >= LEAST_FACTOR) return `${formatNumber(Number(factor.toPrecision(2)))} times`;
  return `${change < 0 ? "−" : "+"}${percent(Math.abs(change))}`;
}
