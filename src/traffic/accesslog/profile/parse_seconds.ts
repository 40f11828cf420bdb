import { checkInteger, checkList, InvalidProfile } from "./profile_checks.ts";
import type { SecondCounts } from "./second_counts.ts";

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
