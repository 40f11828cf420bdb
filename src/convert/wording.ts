/** `1 request`, `2,000 requests`. */
export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A whole number with its thousands set apart. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A share in percent, rounded to one decimal; 100 % only when nothing is missing. */
export function percent(part: number, whole: number): string {
  const share = whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
  return `${(part < whole ? Math.min(share, 99.9) : share).toFixed(1)} %`;
}

/** A rate in requests per second: two decimals, or three significant digits when it is small. */
export function rateText(perSecond: number): string {
  return perSecond.toLocaleString(
    "en",
    perSecond >= 1
      ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
      : { maximumSignificantDigits: 3 },
  );
}
