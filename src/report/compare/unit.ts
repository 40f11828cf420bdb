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

/** Formats a relative change with a sign: `+12.00%`, `−3.50%`. Returns `–` if it is undefined. */
export function changeText(change: number | undefined): string {
  if (change === undefined) return "–";
  return `${change < 0 ? "−" : "+"}${percent(Math.abs(change))}`;
}
