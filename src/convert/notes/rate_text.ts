import { formatThousands } from "../../base/format.ts";

/**
 * Formats a rate in requests per second, with two decimals. Uses at most three significant digits
 * instead if the rate is below 1.
 */
export function rateText(perSecond: number): string {
  if (perSecond >= 1) return formatThousands(perSecond, 2);
  const zeros = perSecond > 0 ? -1 - Math.floor(Math.log10(perSecond)) : 0;
  return perSecond.toFixed(zeros + 3).replace(/\.?0+$/, "");
}

/** Formats a factor as a prefix, such as `2.5 times `. Returns an empty string if the factor is 1. */
export function times(factor: number): string {
  return factor === 1 ? "" : `${factor} times `;
}
