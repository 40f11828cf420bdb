import type { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";

/** A range of Unix seconds from `first` to `last`, both inclusive, and the number of requests in it. */
export interface Period {
  readonly first: number;
  readonly last: number;
  readonly requests: number;
}

/** Minimum number of requests to search for gaps. */
const LEAST_REQUESTS = 10;
/**
 * Maximum number of requests to search for gaps in this way. If there are more, comparing periods
 * of equal length is enough.
 */
const MOST_REQUESTS = 1_000;
/** Minimum mean number of requests between two gaps, so that random pauses do not count as gaps. */
const REQUESTS_PER_GAP = 20;
/** Maximum number of gaps. */
const MOST_GAPS = 10;

/**
 * Returns the periods between the longest gaps of a log with few requests, or undefined if the log
 * has no long gaps. These periods have at least `requestShare` of the requests, and together last
 * less than `timeShare` of the time. Uses as few gaps as possible.
 */
export function sparsePeriods(
  profile: TrafficProfile,
  { first, last, requests }: Period,
  requestShare: number,
  timeShare: number,
): Period[] | undefined {
  if (requests < LEAST_REQUESTS || requests > MOST_REQUESTS) return undefined;
  const seconds: Period[] = [];
  profile.forEachSecond((second, requests) => {
    if (second >= first && second <= last) {
      seconds.push({ first: second, last: second, requests });
    }
  });
  const gaps = seconds.slice(1).map(({ first }, i) => ({
    at: i + 1,
    length: first - seconds[i].last,
  }))
    .sort((a, b) => b.length - a.length);
  const most = Math.min(MOST_GAPS, gaps.length, Math.ceil(requests / REQUESTS_PER_GAP));
  for (let count = 1; count <= most; count++) {
    const cuts = gaps.slice(0, count).map(({ at }) => at).sort((a, b) => a - b);
    const periods = [0, ...cuts].map((from, i) => join(seconds.slice(from, cuts[i])));
    const busy = mostRequests(periods, requestShare * requests);
    const busySeconds = busy.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    if (busySeconds < timeShare * (last - first + 1)) return busy;
  }
  return undefined;
}

function join(seconds: readonly Period[]): Period {
  return {
    first: seconds[0].first,
    last: seconds.at(-1)!.last,
    requests: seconds.reduce((sum, { requests }) => sum + requests, 0),
  };
}

/**
 * Returns the fewest periods that together have at least `least` requests, in chronological order.
 */
function mostRequests(periods: readonly Period[], least: number): Period[] {
  const chosen: Period[] = [];
  let inside = 0;
  for (const period of [...periods].sort((a, b) => b.requests - a.requests)) {
    if (inside >= least) break;
    chosen.push(period);
    inside += period.requests;
  }
  return chosen.sort((a, b) => a.first - b.first);
}
