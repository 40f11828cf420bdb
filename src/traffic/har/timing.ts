import { type JsonObject, objectAt } from "./broken_entry.ts";

/** Parses a start time to Unix milliseconds, with a fraction for more than three digits; undefined if invalid. */
export function parseStart(startedDateTime: unknown): number | undefined {
  if (typeof startedDateTime !== "string") return undefined;
  const ms = Date.parse(startedDateTime);
  if (Number.isNaN(ms)) return undefined;
  const finer = /\.\d{3}(\d+)/.exec(startedDateTime)?.[1];
  return finer === undefined ? ms : ms + Number(`0.${finer}`);
}

/** Returns the duration of an exchange in ms: `time`, otherwise the sum of its timings; 0 if unknown. */
export function totalTime(entry: JsonObject): number {
  if (isDuration(entry.time)) return entry.time;
  const { ssl: _withinConnect, ...phases } = objectAt(entry.timings, "timings");
  return Object.values(phases).filter(isDuration).reduce((sum, ms) => sum + ms, 0);
}

/** Reports whether a value is a duration; HAR files have -1 or null for phases that do not apply. */
function isDuration(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}
