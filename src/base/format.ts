/** Formats a number with thousands separators and a fixed number of decimal places. */
export function formatThousands(number: number, decimals = 0): string {
  // Most counts are small.
  if (decimals === 0 && Number.isInteger(number) && Math.abs(number) < 1_000) return `${number}`;
  // Not `Intl.NumberFormat`, whose first use takes 5 MB.
  const [whole, fraction] = number.toFixed(decimals).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Adds `s` to the noun unless the count is 1. */
export function plural(count: number, noun: string): string {
  return `${formatThousands(Math.round(count))} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats `part / whole` as `22.7%`: `100.0%` only if nothing is missing, `0.0%` of nothing. */
export function percentText(part: number, whole: number): string {
  const share = whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
  return `${(part < whole ? Math.min(share, 99.9) : share).toFixed(1)}%`;
}

/** Rounds a number and formats it with thousands separators: `12,345`. */
export function count(n: number): string {
  return formatThousands(Math.round(n));
}

/** Formats a number as `0.05`, `49.98` or `1,234`: four significant digits, or no decimals. */
export function formatNumber(n: number): string {
  return Math.abs(n) >= 1_000 ? count(n) : String(Number(n.toPrecision(4)));
}

/** Formats a rate per second: `49.98/s`. */
export function perSecond(n: number): string {
  return `${formatNumber(n)}/s`;
}

/** Formats a fraction as `12.34%`. Only 0 becomes `0.00%`, and only 1 becomes `100.00%`. */
export function percent(share: number): string {
  if (share > 0.9999 && share < 1) return "99.99%";
  if (share > 0 && share < 0.0001) return "<0.01%";
  return `${(100 * share).toFixed(2)}%`;
}

/** Formats milliseconds with up to three significant digits and a unit: `85µs`, `1.23ms`. */
export function time(ms: number): string {
  if (ms < 0.000_5) return "0s";
  if (ms < 0.9995) return `${Math.round(ms * 1_000)}µs`;
  if (ms < 999.5) return `${Number(ms.toPrecision(3))}ms`;
  if (ms < 59_950) return `${Number((ms / 1_000).toPrecision(3))}s`;
  return formatMs(ms);
}

/** Formats a number of bytes with up to three significant digits and a decimal unit: `17 kB`. */
export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, n < 1 ? 0 : Math.floor(Math.log10(n) / 3));
  return `${Number((n / 1_000 ** step).toPrecision(3))} ${units[step]}`;
}

const BARS = "▁▂▃▄▅▆▇█";

/** Draws one bar character for each value. Only 0 becomes a space. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(...values, 0);
  return values.map((value) =>
    value === 0 ? " " : BARS[Math.ceil((value / most) * BARS.length) - 1]
  ).join("");
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SHAPE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
/** Matches every duration written as text. */
export const DURATION_PATTERN = "^(?:\\d+(?:\\.\\d+)?|(?:\\d+(?:\\.\\d+)?(?:ms|s|m|h|d))+)$";
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** A duration in a plan or an option: `300ms`, `1m30s`, `1h`, or a number of seconds. */
export type Duration = string | number;

/** Notations of a duration, for error messages and help. */
export const DURATION_SHAPES = "300ms, 30s, 1m30s, 1h, or a number of seconds";

/** Returns undefined if invalid or negative. */
export function durationMs(value: Duration): number | undefined {
  if (typeof value === "number") {
    return Number.isFinite(value) && value >= 0 ? value * 1_000 : undefined;
  }
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1_000;
  if (!SHAPE.test(value)) return undefined;
  let ms = 0;
  for (const [, number, unit] of value.matchAll(PART)) ms += Number(number) * UNITS[unit];
  return ms;
}

/** Formats milliseconds with at most two units: `850ms`, `2.5s`, `1h5m`. */
export function formatMs(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)}ms`;
  if (ms < 9_950) return `${Number((ms / 1_000).toFixed(1))}s`;
  const seconds = Math.round(ms / 1_000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([n]) => n > 0);
  return parts.slice(first, first + 2).filter(([n]) => n > 0).map(([n, u]) => n + u).join("");
}

/** Returns the sum of numbers. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
