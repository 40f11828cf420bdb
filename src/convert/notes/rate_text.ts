import { formatThousands } from "../../base/format.ts";

/** Maximum relative rounding error of the rates that the search for a traffic curve returns. */
const ROUNDING = 1e-8;

/**
 * Formats a rate in requests per second, with two decimals. Uses at most three significant digits
 * instead if the rate is below 1.
 */
export function rateText(perSecond: number): string {
  if (perSecond >= 1) return formatThousands(perSecond, 2);
  const zeros = perSecond > 0 ? -1 - Math.floor(Math.log10(perSecond)) : 0;
  return perSecond.toFixed(zeros + 3).replace(/\.?0+$/, "");
}

/**
 * Formats a factor as a prefix, such as `2.5 times `. Returns an empty string if the factor is 1.
 */
export function times(factor: number): string {
  return factor === 1 ? "" : `${factor} times `;
}

/**
 * Returns a rate rounded down to six significant digits, so that a plan does not send more requests
 * than its log contains. Rounds up only if this increases the rate by no more than a floating-point
 * rounding error.
 */
export function roundRate(rate: number): number {
  const rounded = Number(rate.toPrecision(6));
  if (rounded <= rate * (1 + ROUNDING)) return rounded;
  return Number((rounded - 10 ** (Math.floor(Math.log10(rate)) - 5)).toPrecision(6));
}
