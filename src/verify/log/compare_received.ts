import { sum } from "../../base/format.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { collectIds, collectQueries } from "../../traffic/accesslog/collect/request_url.ts";
import type { LogCollector } from "../../traffic/accesslog/collect/collector.ts";
import type { EndpointValues } from "../../traffic/accesslog/collect/endpoint_values.ts";
import { Visits } from "../../traffic/accesslog/collect/visits.ts";
import { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";

/** Comparison of a log with what the target received in a run. */
export interface ReceivedComparison {
  readonly bursts: readonly {
    readonly seconds: number;
    readonly log: Burst;
    readonly received: Burst;
  }[];
  readonly differences: readonly AspectDifference[];
}

/** Requests per window. */
export interface Burst {
  /** Variance divided by the mean: 1 for independent requests at a constant rate. */
  readonly dispersion: number;
  readonly peak: number;
}

/** Aspects of the received requests whose distributions are compared, with their descriptions. */
export const ASPECTS = {
  ids: "have other ids in paths",
  queries: "have other queries",
  visits: "follow another request of their visit",
} as const;

/** Difference between the distributions of one aspect in the log and in the received requests. */
export interface AspectDifference {
  readonly aspect: keyof typeof ASPECTS;
  /** Total variation distance, 0 to 1. Undefined if one of the logs lacks this aspect. */
  readonly share: number | undefined;
  /** Distance that random sampling alone would give. */
  readonly byChance: number | undefined;
}

/** A log: its requests per second, its ids and queries by request, and its visits. */
export class ReceivedLog {
  readonly ids: EndpointValues = collectIds();
  readonly queries: EndpointValues = collectQueries();
  readonly visits: Visits = new Visits();
  /** Requests per second. Set it when the log has been read with the collectors. */
  profile: TrafficProfile = new TrafficProfile();

  /** Collectors to read the log with. Each keeps a sample of a log that is too large for it. */
  get collectors(): readonly LogCollector[] {
    return [this.ids, this.queries, this.visits];
  }
}

/** Windows in which bursts are compared, in seconds of the log. A squeeze rounds them. */
const WINDOWS = [1, 10, 60];

/** Compares a log with what the target of a run of `plan` wrote down. */
export function compareReceived(
  plan: Plan,
  log: ReceivedLog,
  target: ReceivedLog,
): ReceivedComparison {
  const [scenario] = Object.values(plan.scenarios);
  const squeeze = scenario.executor === "recorded-arrivals" ? scenario.squeeze ?? 1 : 1;
  const [inLog, received] = [countParts(log), countParts(target)];
  return {
    // The target writes whole seconds, so a window must have whole seconds in its log.
    bursts: [...new Set(WINDOWS.map((seconds) => Math.max(1, Math.round(seconds / squeeze))))]
      .map((seconds) => ({
        seconds: seconds * squeeze,
        log: burst(log.profile, seconds * squeeze),
        received: burst(target.profile, seconds),
      })),
    differences: (Object.keys(ASPECTS) as (keyof typeof ASPECTS)[]).map((aspect) => ({
      aspect,
      ...difference(inLog[aspect], received[aspect]),
    })),
  };
}

type Counts = Map<string, number>;

/** Counts the ids and the queries of each endpoint, and the pairs of consecutive requests. */
function countParts(log: ReceivedLog): Record<keyof typeof ASPECTS, Counts> {
  const visits: Counts = new Map();
  // A load generator has one address, so its visits cannot be distinguished.
  for (const { requests } of log.visits.onlyClient === undefined ? log.visits.list() : []) {
    for (const [i, { url }] of requests.slice(1).entries()) {
      add(visits, `${log.visits.endpoint(requests[i].url)} ${log.visits.endpoint(url)}`, 1);
    }
  }
  return {
    // The ids of a request are kept together with its query.
    ids: countValues(log, log.ids, (value) => value.replace(/\?.*/s, "")),
    queries: countValues(log, log.queries, (value) => value),
    visits,
  };
}

/** Counts the values of each endpoint that are not empty, in the sample if there is one. */
function countValues(
  { profile }: ReceivedLog,
  values: EndpointValues,
  partOf: (value: string) => string,
): Counts {
  const counts: Counts = new Map();
  const names = profile.top(Infinity).map(({ method, route }) => `${method} ${route}`);
  for (const [i, list] of values.forEndpoints(names).entries()) {
    for (const { value, count } of list) {
      const part = partOf(value);
      if (part !== "") add(counts, `${names[i]} ${part}`, count / values.oneIn);
    }
  }
  return counts;
}

function add(counts: Counts, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

function difference(log: Counts, received: Counts): Pick<AspectDifference, "share" | "byChance"> {
  if (log.size === 0 || received.size === 0) return { share: undefined, byChance: undefined };
  const names = [...new Set([...log.keys(), ...received.keys()])];
  const [weights, counts] = [log, received].map((map) => names.map((name) => map.get(name) ?? 0));
  return {
    share: distanceFrom(weights, counts).share,
    byChance: chanceDistance(weights, sum(counts)),
  };
}

function burst(profile: TrafficProfile, seconds: number): Burst {
  const { first, seconds: length } = profile.span()!;
  const counts = new Map<number, number>();
  profile.forEachSecond((second, requests) => {
    const window = Math.floor((second - first) / seconds);
    counts.set(window, (counts.get(window) ?? 0) + requests);
  });
  const windows = Math.max(1, Math.ceil(length / seconds));
  const mean = profile.requests / windows;
  const squares = sum([...counts.values()].map((count) => count ** 2));
  return {
    dispersion: (squares / windows - mean ** 2) / mean,
    peak: counts.values().reduce((most, count) => Math.max(most, count), 0),
  };
}

/** Significance threshold in standard deviations: a one-sided false-positive rate of 0.1%. */
const RARE_SIGMAS = 3.09;
/**
 * Minimum expected count of a category that is tested alone. Smaller categories are combined for
 * the test.
 */
const MIN_EXPECTED = 5;

/** Difference between observed counts and an expected distribution. */
export interface Distance {
  /**
   * Total variation distance: the fraction of the counts, 0 to 1, that would have to be in other
   * categories to match the expected distribution.
   */
  readonly share: number;
  /** Whether the difference is significant: random sampling exceeds it in about 0.1% of samples. */
  readonly beyondChance: boolean;
}

/**
 * Compares observed counts with an expected distribution in a chi-square test. `weights` contains
 * one weight per category. Only the ratios of the weights matter. A count in a category of weight 0
 * is always significant.
 */
export function distanceFrom(weights: readonly number[], counts: readonly number[]): Distance {
  const shares = toProportions(weights);
  const found = toProportions(counts);
  const n = sum(counts);
  const cells = withRest(shares.map((share, i) => [share * n, counts[i]]));
  const statistic = sum(
    cells.map(([expected, observed]) => expected === 0 ? 0 : (observed - expected) ** 2 / expected),
  );
  const impossible = cells.some(([expected, observed]) => expected === 0 && observed > 0);
  return {
    share: sum(shares.map((share, i) => Math.abs(share - found[i]))) / 2,
    beyondChance: impossible || sigmas(statistic, cells.length - 1) > RARE_SIGMAS,
  };
}

/**
 * Returns the expected total variation distance of `n` random samples from the distribution with
 * these weights: the mean deviation of each binomial count, for small counts exactly, otherwise in
 * the normal approximation.
 */
export function chanceDistance(weights: readonly number[], n: number): number {
  const deviation = (share: number) => {
    const expected = n * share;
    // Below 1, the count is 0 with the probability exp(-expected), and rarely above 1.
    return expected < 1
      ? 2 * expected * Math.exp(-expected)
      : Math.sqrt(2 * expected * (1 - share) / Math.PI);
  };
  return n === 0 ? 0 : sum(toProportions(weights).map(deviation)) / n / 2;
}

/** Returns each count divided by the sum of all counts. Returns zeros if the sum is 0. */
export function toProportions(counts: readonly number[]): number[] {
  const whole = sum(counts);
  return counts.map((count) => whole === 0 ? 0 : count / whole);
}

type Cell = readonly [expected: number, observed: number];

/**
 * Prepares categories for a chi-square test: combines those with an expected count below 5, and
 * drops those of weight 0 with an observed count of 0.
 */
function withRest(cells: readonly Cell[]): Cell[] {
  const few = cells.filter(([expected]) => expected > 0 && expected < MIN_EXPECTED);
  const rest: Cell = [
    sum(few.map(([expected]) => expected)),
    sum(few.map(([, observed]) => observed)),
  ];
  const tested = cells.filter(([expected, observed]) =>
    expected >= MIN_EXPECTED || (expected === 0 && observed > 0)
  );
  return few.length > 0 ? [...tested, rest] : tested;
}

/**
 * Converts a chi-square statistic to standard deviations of the normal distribution
 * (Wilson-Hilferty).
 */
function sigmas(statistic: number, freedom: number): number {
  if (freedom < 1) return 0;
  const spread = 2 / (9 * freedom);
  return (Math.cbrt(statistic / freedom) - (1 - spread)) / Math.sqrt(spread);
}
