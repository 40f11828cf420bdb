import { formatThousands } from "../base/format_thousands.ts";

/**
 * Formats `part / whole` as a percentage with one decimal, such as `22.7%`. Returns `100.0%` only if
 * `part` is at least `whole`, and `0.0%` if `whole` is 0.
 */
export function percentText(part: number, whole: number): string {
  const share = whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
  return `${(part < whole ? Math.min(share, 99.9) : share).toFixed(1)}%`;
}

/**
 * Formats a rate in requests per second: at most two decimals, or three significant digits if it is
 * below 1.
 */
export function rateText(perSecond: number): string {
  if (perSecond >= 1) return formatThousands(perSecond, 2);
  const zeros = perSecond > 0 ? -1 - Math.floor(Math.log10(perSecond)) : 0;
  return perSecond.toFixed(zeros + 3).replace(/\.?0+$/, "");
}
