import { formatMs } from "../../base/duration.ts";
import { formatThousands } from "../../base/format_thousands.ts";

/** A whole number with its thousands apart: `12,345`. */
export function count(n: number): string {
  return formatThousands(Math.round(n));
}

/** A number in about four digits: `0.05`, `49.98`, `1,234`. */
export function figure(n: number): string {
  return Math.abs(n) >= 1_000 ? count(n) : String(Number(n.toPrecision(4)));
}

/** So many a second: `49.98/s`. */
export function perSecond(n: number): string {
  return `${figure(n)}/s`;
}

/** A share from 0 to 1: `0.32%`. What is not all or nothing is never rounded to it. */
export function percent(share: number): string {
  if (share > 0.9999 && share < 1) return "99.99%";
  if (share > 0 && share < 0.0001) return "<0.01%";
  return `${(100 * share).toFixed(2)}%`;
}

/** Milliseconds in three digits and their unit, at most six characters: `85µs`, `1.23ms`, `4.5s`. */
export function time(ms: number): string {
  if (ms < 0.000_5) return "0s";
  if (ms < 0.9995) return `${Math.round(ms * 1_000)}µs`;
  if (ms < 999.5) return `${Number(ms.toPrecision(3))}ms`;
  if (ms < 59_950) return `${Number((ms / 1_000).toPrecision(3))}s`;
  return formatMs(ms);
}

/** Bytes in decimal units: `17 kB`. */
export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, n < 1 ? 0 : Math.floor(Math.log10(n) / 3));
  return `${Number((n / 1_000 ** step).toPrecision(3))} ${units[step]}`;
}
