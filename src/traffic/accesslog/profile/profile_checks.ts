import type { ZodError } from "zod";
import type { SecondCounts } from "./tally.ts";

/** Error whose message states why a profile is invalid. */
export class InvalidProfile extends Error {}

/**
 * Returns `value` as `schema` describes it. Otherwise throws `InvalidProfile`. `what` describes the
 * value in the message.
 */
export function checked<T>(schema: { parse(value: unknown): T }, value: unknown, what: string): T {
  try {
    return schema.parse(value);
  } catch (error) {
    const [{ path, message }] = (error as ZodError).issues;
    const at = path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`).join("");
    throw new InvalidProfile(`${what}${at && ` at \`${at.replace(/^\./, "")}\``}: ${message}`);
  }
}

const LAST_SECOND = Date.UTC(10_000, 0, 2) / 1_000;

/** Ranges of consecutive seconds: the first one, and the number of requests in each. */
export type Seconds = readonly (readonly [start: number, counts: readonly number[]])[];

/** Adds the requests of `ranges` to `seconds`. Returns their number. */
export function addSeconds(seconds: SecondCounts, ranges: Seconds): number {
  let requests = 0;
  for (const [start, counts] of ranges) {
    if (start + counts.length > LAST_SECOND + 1) {
      throw new InvalidProfile("a range in `seconds` ends after the year 9999");
    }
    counts.forEach((one, i) => seconds.add(start + i, one));
    requests += counts.reduce((sum, one) => sum + one, 0);
  }
  return requests;
}
