const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SHAPE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
/** Regular expression that matches every duration written as text. */
export const DURATION_PATTERN = "^(?:\\d+(?:\\.\\d+)?|(?:\\d+(?:\\.\\d+)?(?:ms|s|m|h|d))+)$";
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** A duration in a plan or an option: `300ms`, `1m30s`, `1h`, or a number of seconds. */
export type Duration = string | number;

/** Accepted notations of a duration, for error messages and help. */
export const DURATION_SHAPES = "300ms, 30s, 1m30s, 1h, or a number of seconds";

/**
 * Parses a duration and returns it in milliseconds, or undefined if it is invalid or negative. A
 * number without a unit is in seconds.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { durationMs } from "./duration.ts";
 *
 * assertEquals(durationMs("1m30s"), 90_000);
 * assertEquals(durationMs("300ms"), 300);
 * assertEquals(durationMs(2), 2_000);
 * assertEquals(durationMs("soon"), undefined);
 * ```
 */
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

/**
 * Formats a duration in milliseconds with at most two units. Seconds below 10 have up to one
 * decimal place.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { formatMs } from "./duration.ts";
 *
 * assertEquals(formatMs(850), "850ms");
 * assertEquals(formatMs(2_500), "2.5s");
 * assertEquals(formatMs(130_000), "2m10s");
 * assertEquals(formatMs(3_905_000), "1h5m");
 * ```
 */
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
