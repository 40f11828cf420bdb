import { type JsonObject, objectAt } from "./broken_entry.ts";

/**
 * Parses `startedDateTime` and returns Unix milliseconds, or undefined if it is invalid. The result has
 * a fraction if the time has more than three decimals.
 */
export function parseStart(startedDateTime: unknown): number | undefined {
  if (typeof startedDateTime !== "string") return undefined;
  const ms = Date.parse(startedDateTime);
  if (Number.isNaN(ms)) return undefined;
  const finer = /\.\d{3}(\d+)/.exec(startedDateTime)?.[1];
  return finer === undefined ? ms : ms + Number(`0.${finer}`);
}

/**
 * Returns the duration of an exchange in milliseconds: `time`, or the sum of the `timings` if `time` is
 * missing. Returns 0 if neither is known. Throws BrokenEntry if `timings` is not an object.
 */
export function totalTime(entry: JsonObject): number {
  if (isDuration(entry.time)) return entry.time;
  const { ssl: _withinConnect, ...phases } = objectAt(entry.timings, "timings");
  return Object.values(phases).filter(isDuration).reduce((sum, ms) => sum + ms, 0);
}

/**
 * Reports whether a value is a valid duration. HAR files contain -1 or null for phases that do not
 * apply.
 */
function isDuration(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}
