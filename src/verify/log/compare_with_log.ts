import { parseTemplate, variablesIn } from "../../plan/text/template.ts";
import { InputError } from "../../base/errors.ts";
import { durationMs, plural, sum } from "../../base/format.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { REDIRECT_STATUSES } from "../../http/redirect.ts";
import { requestRange } from "../../plan/predicted_load.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { allFlows, listSteps, numberedRequests } from "../../plan/kinds/list_requests.ts";
import { requestName, socketName } from "../../plan/kinds/request.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import { type Statuses, sumStatuses } from "../../traffic/accesslog/collect/request_counts.ts";
import type { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { mergeRoutes, parseRoutePattern } from "../../traffic/accesslog/routes/merge_routes.ts";

/** Difference between observed counts and an expected distribution. */
export interface Distance {
  /** Total variation distance: the fraction, 0 to 1, that would have to be in other categories. */
  readonly share: number;
  /** Whether random sampling exceeds the difference in at most about 0.1% of samples. */
  readonly beyondChance: boolean;
}

/** An endpoint's share of the requests in the log and in the run. */
export interface EndpointShare {
  readonly endpoint: string;
  /** This endpoint's fraction, 0 to 1, of all requests in the log. */
  readonly log: number;
  readonly run: number;
}

/** Comparison of a run with the log from which its plan was created. */
export interface LogComparison {
  /** The plan covers most requests, and the run has the same mix, rate and some response. */
  readonly asTheLog: boolean;
  /** Over all endpoints of log and plan, the largest difference first. */
  readonly mix: Distance & {
    readonly byChance: number;
    readonly endpoints: readonly EndpointShare[];
  };
  /** Per second. `factor` is the plan's rate to the log's, 1 without recorded arrivals. */
  readonly rate: {
    readonly log: number;
    readonly factor: number;
    readonly run: number;
    readonly differs: boolean;
  };
  /** Maximum difference between the cumulative request curves, 0 to 1. */
  readonly inTime: number;
  /** Over status classes such as `2xx`, or `none`. */
  readonly statuses: Distance & {
    readonly classes: readonly {
      readonly status: string;
      readonly log: number;
      readonly run: number;
    }[];
  };
  readonly covered: {
    /** Fraction of the log's requests to endpoints of the plan. */
    readonly share: number;
    readonly endpoints: number;
    readonly ofEndpoints: number;
  };
  readonly requests: number;
  readonly hasResponse: boolean;
  readonly dropped: number;
  /** False if options changed the plan, or it was edited. Null if a hash is unknown. */
  readonly samePlan: boolean | null;
}

/** Significance threshold in standard deviations: a one-sided false-positive rate of 0.1%. */
const RARE_SIGMAS = 3.09;
/** Categories with a smaller expected count are combined for the test. */
const MIN_EXPECTED = 5;

/** Share of the log's requests that the plan must cover. */
export const LEAST_COVERED = 0.95;
/** Maximum relative difference at which two rates count as equal. */
const RATE_TOLERANCE = 0.05;
/** Points at which two curves are compared. */
const POINTS = 200;

/** Throws InputError if the run had scenarios or requests that `plan` lacks. */
export function refuseOtherPlan(summary: Summary, plan: Plan, source: string): void {
  const names = new Set(allFlows(plan).flatMap(sentNames));
  const scenario = summary.scenarios.find(({ name }) => !Object.hasOwn(plan.scenarios, name));
  const requests = summary.endpoints.filter(({ name }) => !names.has(name));
  if (scenario === undefined && requests.length === 0) return;
  const what = requests.length === 0
    ? `the scenario ${safeSnippet(scenario!.name, 44)}`
    : requests.length === 1
    ? `the request ${safeSnippet(requests[0].name, 44)}`
    : `${plural(requests.length, "request")} such as ${safeSnippet(requests[0].name, 44)}`;
  const given = safeSnippet(summary.environment?.plan ?? summary.name);
  throw new InputError(
    `the run (of ${given}) contains ${what}, but this plan does not; ` +
      "verify the plan of this run, with `--env` if the run used it, or run this plan with " +
      "`--summary-export`",
    { source },
  );
}

function sentNames(flow: readonly Step[]): string[] {
  return [...listSteps(flow)].flatMap(({ request, websocket }) =>
    request ? [requestName(request)] : websocket ? [socketName(websocket)] : []
  );
}

/** Compares endpoints, rate, timing and status classes of a run with a log. */
export function compareWithLog(
  plan: Plan,
  summary: Summary,
  profile: TrafficProfile,
  logResponses: Statuses,
  samePlan: boolean | null,
): LogComparison {
  mergeLikePlan(profile, plan);
  const all = new Map(
    profile.top(Infinity).map(({ method, route, count }) => [`${method} ${route}`, count]),
  );
  const run = Map.groupBy(summary.endpoints, ({ name }) => name);
  const planned = new Set([...requestNames(plan), ...run.keys()]);
  const names = [...planned.union(all)];
  const inLog = names.map((name) => all.get(name) ?? 0);
  const inRun = names.map((name) => sum((run.get(name) ?? []).map(requestsTo)));
  const mix = compareMix(names, inLog, inRun, (name) => planned.has(name));
  const omitted = sum(names.map((name, i) => planned.has(name) ? 0 : inLog[i]));
  const covered = 1 - omitted / profile.requests;
  const { seconds } = profile.span()!;
  const logRate = profile.requests / seconds;
  const rate = compareRates(
    logRate,
    rateFactor(plan, logRate),
    sum(inRun) / (summary.duration_ms / 1_000),
  );
  const known = [...planned].filter((name) => all.has(name));
  const responses = logResponses.byEndpoint();
  const hasResponse = summary.endpoints.some(({ statuses }) =>
    Object.keys(statuses).some((status) => status !== "0")
  );
  return {
    asTheLog: hasResponse && covered >= LEAST_COVERED && !mix.beyondChance && !rate.differs,
    mix,
    rate,
    inTime: maxDifference(logCurve(profile), runCurve(summary)),
    statuses: compareResponses(
      countByClass(sumStatuses(known.map((name) => responses.get(name) ?? new Map()))),
      countByClass(summary.endpoints.flatMap(({ statuses }) => Object.entries(statuses))),
    ),
    covered: {
      share: covered,
      endpoints: known.length,
      ofEndpoints: all.size,
    },
    requests: sum(inRun),
    hasResponse,
    dropped: sum(summary.scenarios.map(({ dropped }) => dropped)),
    samePlan,
  };
}

/** Compares the proportions of the endpoints. */
function compareMix(
  names: readonly string[],
  inLog: readonly number[],
  inRun: readonly number[],
  isPlanned: (name: string) => boolean,
): LogComparison["mix"] {
  // The requests that the plan omits are one category in the test of significance.
  const tested = names.flatMap((name, i) => isPlanned(name) ? [i] : []);
  const omitted = sum(names.map((name, i) => isPlanned(name) ? 0 : inLog[i]));
  const { share } = distanceFrom(inLog, inRun);
  const { beyondChance } = distanceFrom(
    [...tested.map((i) => inLog[i]), omitted],
    [...tested.map((i) => inRun[i]), 0],
  );
  const [logShares, runShares] = [toProportions(inLog), toProportions(inRun)];
  const endpoints = names.map((endpoint, i) => (
    { endpoint, log: logShares[i], run: runShares[i] }
  )).sort((a, b) => Math.abs(b.log - b.run) - Math.abs(a.log - a.run));
  return { share, beyondChance, byChance: chanceDistance(inLog, sum(inRun)), endpoints };
}

/** Merges the paths that `--route` merged for the plan. Modifies `profile`. */
function mergeLikePlan(profile: TrafficProfile, plan: Plan): void {
  const routes = new Set(requestNames(plan).map((name) => name.slice(name.indexOf(" ") + 1)));
  const merged = [...routes].filter((route) => variablesIn(route).some((name) => name !== "id"));
  const patterns = merged.flatMap((route) => {
    const text = parseTemplate(route).map((part) =>
      part.kind === "vars" ? `{${part.name}}` : part.kind === "text" ? part.text : ""
    );
    const pattern = parseRoutePattern(text.join(""));
    if (pattern === undefined) return [];
    return { ...pattern, matches: (path: string) => !routes.has(path) && pattern.matches(path) };
  });
  if (patterns.length > 0) mergeRoutes(profile, { patterns, isAutomatic: false });
}

/** In the plan's scenarios, as in a summary. */
function requestNames(plan: Plan): string[] {
  return numberedRequests(plan).map(requestName);
}

/** A log counts the target of a redirect by itself, but a summary under its source. */
function requestsTo({ count, statuses }: EndpointStats): number {
  const followed = sum([...REDIRECT_STATUSES].map((status) => statuses[status] ?? 0));
  return followed < count ? count - followed : count;
}

function compareRates(log: number, factor: number, run: number): LogComparison["rate"] {
  return { log, factor, run, differs: Math.abs(run / (factor * log) - 1) > RATE_TOLERANCE };
}

/** Ratio of a plan's rate to the log's: 1 without recorded arrivals. */
function rateFactor({ scenarios }: Plan, logRate: number): number {
  const [scenario] = Object.values(scenarios);
  const { mean } = requestRange(scenario.flow);
  if (scenario.executor !== "recorded-arrivals" || mean === undefined) return 1;
  const perSecond = scenario.rate / (durationMs(scenario.time_unit ?? "1s")! / 1_000);
  return Number((perSecond * mean / logRate).toPrecision(3));
}

/** Index 2 counts the statuses 200 to 299, and 0 responses without a status. */
function countByClass(statuses: Iterable<readonly [status: string | number, count: number]>) {
  const counts = [0, 0, 0, 0, 0, 0];
  for (const [status, count] of statuses) {
    const first = Math.floor(Number(status) / 100);
    counts[first <= 5 ? first : 0] += count;
  }
  return counts;
}

function compareResponses(log: number[], run: number[]): LogComparison["statuses"] {
  const [logShares, runShares] = [toProportions(log), toProportions(run)];
  const classes = logShares.map((share, i) => ({
    status: i === 0 ? "none" : `${i}xx`,
    log: share,
    run: runShares[i],
  })).filter(({ log, run }) => log + run > 0);
  return { ...distanceFrom(log, run), classes };
}

/** Ascending points: shares of the requests sent up to `time`, a share of the duration. */
type Curve = readonly (readonly [time: number, share: number])[];

function logCurve(profile: TrafficProfile): Curve {
  const { first, seconds } = profile.span()!;
  const curve: [time: number, share: number][] = [];
  let done = 0;
  profile.forEachSecond((second, requests) => {
    done += requests;
    curve.push([(second + 1 - first) / seconds, done / profile.requests]);
  });
  return curve;
}

function runCurve({ timeline, duration_ms }: Summary): Curve {
  const whole = sum(timeline.map(({ requests }) => requests));
  let done = 0;
  return timeline.map(({ at, requests }) => {
    done += requests;
    return [Math.min(1, at * 1_000 / duration_ms), done / whole] as const;
  });
}

function maxDifference(a: Curve, b: Curve): number {
  const [readA, readB] = [reader(a), reader(b)];
  const times = Array.from({ length: POINTS }, (_, i) => (i + 1) / POINTS);
  return Math.max(...times.map((time) => Math.abs(readA(time) - readB(time))));
}

/** Interpolates a curve. Call it with ascending times only. */
function reader(curve: Curve): (time: number) => number {
  let next = 0;
  return (time) => {
    while (next < curve.length && curve[next][0] < time) next++;
    if (next === curve.length) return 1;
    const [fromTime, from] = next === 0 ? [0, 0] : curve[next - 1];
    const [toTime, to] = curve[next];
    return from + (to - from) * (time - fromTime) / (toTime - fromTime);
  };
}

/**
 * Compares counts with a distribution in a chi-square test. Only the ratios of the weights matter.
 * A count in a category of weight 0 is always significant.
 */
export function distanceFrom(weights: readonly number[], counts: readonly number[]): Distance {
  const shares = toProportions(weights);
  const observedShares = toProportions(counts);
  const n = sum(counts);
  const cells = withRest(shares.map((share, i) => [share * n, counts[i]]));
  const statistic = sum(
    cells.map(([expected, observed]) => expected === 0 ? 0 : (observed - expected) ** 2 / expected),
  );
  const impossible = cells.some(([expected, observed]) => expected === 0 && observed > 0);
  return {
    share: sum(shares.map((share, i) => Math.abs(share - observedShares[i]))) / 2,
    beyondChance: impossible || sigmas(statistic, cells.length - 1) > RARE_SIGMAS,
  };
}

/**
 * Returns the expected total variation distance of `n` random samples: the mean deviation of each
 * binomial count, for small counts exactly, otherwise in the normal approximation.
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

/** Returns zeros if the sum is 0. */
export function toProportions(counts: readonly number[]): number[] {
  const whole = sum(counts);
  return counts.map((count) => whole === 0 ? 0 : count / whole);
}

type Cell = readonly [expected: number, observed: number];

/** Combines cells with a small expected count, and drops those of weight 0 without a count. */
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

/** Converts a chi-square statistic to standard deviations (Wilson-Hilferty). */
function sigmas(statistic: number, freedom: number): number {
  if (freedom < 1) return 0;
  const spread = 2 / (9 * freedom);
  return (Math.cbrt(statistic / freedom) - (1 - spread)) / Math.sqrt(spread);
}
