import { type JsonObject, objectAt } from "./broken_entry.ts";

/** Epoch milliseconds, with a fraction when there are more than three digits; undefined if unreadable. */
export function parseStart(startedDateTime: unknown): number | undefined {
  if (typeof startedDateTime !== "string") return undefined;
  const ms = Date.parse(startedDateTime);
  if (Number.isNaN(ms)) return undefined;
  const finer = /\.\d{3}(\d+)/.exec(startedDateTime)?.[1];
  return finer === undefined ? ms : ms + Number(`0.${finer}`);
}

/** Milliseconds that the whole exchange took: `time`, else the sum of its timings; 0 when unknown. */
export function totalTime(entry: JsonObject): number {
  if (isDuration(entry.time)) return entry.time;
  const { ssl: _withinConnect, ...phases } = objectAt(entry.timings, "timings");
  return Object.values(phases).filter(isDuration).reduce((sum, ms) => sum + ms, 0);
}

/** HAR writes -1, or null, for what does not apply. */
function isDuration(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}
