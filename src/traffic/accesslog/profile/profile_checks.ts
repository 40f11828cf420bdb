import type { SecondCounts } from "./tally.ts";

/** Error whose message states why a profile is invalid. */
export class InvalidProfile extends Error {}

/**
 * Returns `value` if it is an object. Otherwise throws `InvalidProfile`. `what` describes the value
 * in the message.
 */
export function checkRecord(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new InvalidProfile(`${what} is not an object`);
}

/**
 * Returns `value` if it is a list. Otherwise throws `InvalidProfile`. `what` describes the value in
 * the message.
 */
export function checkList(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new InvalidProfile(`${what} is not a list`);
}

/**
 * Returns `value` if it is a string. Otherwise throws `InvalidProfile`. `what` describes the value
 * in the message.
 */
export function checkText(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new InvalidProfile(`${what} is not text`);
}

/**
 * Returns `value` if it is a whole number from 0 to `max`. Otherwise throws `InvalidProfile`.
 * `what` describes the value in the message.
 */
export function checkInteger(
  value: unknown,
  what: string,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max) {
    return value as number;
  }
  throw new InvalidProfile(`${what} is not a whole number from 0 to ${max}`);
}

const LAST_SECOND = Date.UTC(10_000, 0, 2) / 1_000;

/**
 * Adds the requests in `json`, a list of ranges `[start, [requests, …]]`, to `seconds`. Returns the
 * number of requests. Throws `InvalidProfile` if the list is not valid or contains a second with
 * more than `max` requests.
 */
export function parseSeconds(seconds: SecondCounts, json: unknown, max: number): number {
  let requests = 0;
  for (const run of checkList(json, "`seconds`")) {
    const [start, counts] = checkList(run, "a range in `seconds`");
    let second = checkInteger(start, "the start of a range in `seconds`", LAST_SECOND);
    for (const count of checkList(counts, "the second element of a range in `seconds`")) {
      requests += checkInteger(count, "the number of requests in a second", max);
      if (second > LAST_SECOND) {
        throw new InvalidProfile("a range in `seconds` ends after the year 9999");
      }
      seconds.add(second++, count as number);
    }
  }
  return requests;
}
