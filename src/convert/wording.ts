import { grouped } from "../base/grouped.ts";

/** `1 request`, `2,000 requests`. */
export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A share in percent, rounded to one decimal; 100 % only when nothing is missing. */
export function percent(part: number, whole: number): string {
  const share = whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
  return `${(part < whole ? Math.min(share, 99.9) : share).toFixed(1)} %`;
}

/** A rate in requests per second: two decimals, or three significant digits when it is small. */
export function rateText(perSecond: number): string {
  if (perSecond >= 1) return grouped(perSecond, 2);
  const zeros = perSecond > 0 ? -1 - Math.floor(Math.log10(perSecond)) : 0;
  return perSecond.toFixed(zeros + 3).replace(/\.?0+$/, "");
}
