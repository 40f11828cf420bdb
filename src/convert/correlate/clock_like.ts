import type { RecordedCall } from "../../traffic/session/recorded_call.ts";

const DAY_MS = 86_400_000;
/** Maximum difference between a clock-like number and the time of its response. */
const NEAR_MS = 2 * DAY_MS;
const CLOCK = /^\d{10}(?:\d{3}){0,3}$/;

/**
 * Reports whether a value is a number of seconds, milliseconds, microseconds or nanoseconds since 1970
 * within two days of the response's `Date`, or of the recorded time if it has no `Date`.
 */
export function isClockLike(value: string, { exchange }: Pick<RecordedCall, "exchange">): boolean {
  if (!CLOCK.test(value)) return false;
  const milliseconds = Number(value) / 10 ** (value.length - 13);
  const date = exchange.response.headers.find(({ name }) => name.toLowerCase() === "date")?.value;
  const times = [Date.parse(date ?? ""), exchange.startedAt];
  return times.some((time) => Math.abs(milliseconds - time) <= NEAR_MS);
}
