const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SHAPE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** A duration as plans and options write it: `300ms`, `1m30s`, `1h`, or a number of seconds. */
export type Duration = string | number;

/** How a duration is written, for error messages. */
export const DURATION_SHAPES = "300ms, 30s, 1m30s, 1h, or a number of seconds";

/** Milliseconds of a duration, or undefined when the text is none. */
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

/** Milliseconds in words: `850ms`, `12s`, `2m10s`, `1h5m`; the two largest units at most. */
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
