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
import { chanceDistance, type Distance, distanceFrom, toProportions } from "./distance.ts";

/** An endpoint's share of the requests in the log and in the run. */
export interface EndpointShare {
  readonly endpoint: string;
  /** This endpoint's fraction, 0 to 1, of all requests in the log. */
  readonly log: number;
  readonly run: number;
}

/** Comparison of a run with the log from which its plan was created. */
export interface LogComparison {
  /**
   * True if the plan covers at least 95% of the log's requests, the run has the same mix of
   * endpoints as the log, apart from random variation, and its rate differs by at most 5% from the
   * expected one. The timing and the statuses may differ, but the run must have a response.
   */
  readonly asTheLog: boolean;
  /**
   * Distribution of the requests over all endpoints of the log and of the plan. The endpoint with
   * the largest difference comes first. `byChance` is the share that random sampling alone would
   * give.
   */
  readonly mix: Distance & {
    readonly byChance: number;
    readonly endpoints: readonly EndpointShare[];
  };
  /**
   * Rates in requests per second. `factor` is the ratio of the plan's rate to the log's if the plan
   * replays recorded arrivals, otherwise 1. `differs` is true if the run's rate differs by more
   * than 5% from `factor` times the log's rate.
   */
  readonly rate: {
    readonly log: number;
    readonly factor: number;
    readonly run: number;
    readonly differs: boolean;
  };
  /** Maximum difference between the cumulative request curves, 0 to 1. */
  readonly inTime: number;
  /** Distribution of the responses over status classes such as `2xx`, or `none` for no status. */
  readonly statuses: Distance & {
    readonly classes: readonly {
      readonly status: string;
      readonly log: number;
      readonly run: number;
    }[];
  };
  readonly covered: {
    /** Fraction of the log's requests that went to endpoints of the plan, 0 to 1. */
    readonly share: number;
    readonly endpoints: number;
    readonly ofEndpoints: number;
  };
  readonly requests: number;
  readonly hasResponse: boolean;
  readonly dropped: number;
  /**
   * True if the run executed exactly the given plan. False if the hash of its plan differs: options
   * of `run` changed the plan, or it was edited after the run. Null if a hash is unknown.
   */
  readonly samePlan: boolean | null;
}

/** Minimum share of the log's requests that the plan must cover to match the log. */
export const LEAST_COVERED = 0.95;
/** Maximum relative difference at which two rates count as equal. */
const RATE_TOLERANCE = 0.05;
/** Number of points at which two curves are compared. */
const POINTS = 200;

/**
 * Throws InputError if `summary`, which was read from `source`, is not the summary of a run of
 * `plan`: the run had a scenario or sent a request that the plan does not contain.
 */
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

/** Lists the names of all requests and WebSockets of a flow as they appear in a summary. */
function sentNames(flow: readonly Step[]): string[] {
  return [...listSteps(flow)].flatMap(({ request, websocket }) =>
    request ? [requestName(request)] : websocket ? [socketName(websocket)] : []
  );
}

/**
 * Compares a run of `plan` with a log: endpoints, rate, timing and status classes. `samePlan` is
 * the property of the result with this name.
 */
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

/** Compares the proportions of the endpoints, by number of requests in the log and in the run. */
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

/**
 * Merges the paths of the log that `--route` merged when the plan was created. Modifies `profile`.
 */
function mergeLikePlan(profile: TrafficProfile, plan: Plan): void {
  const routes = new Set(requestNames(plan).map((name) => name.slice(name.indexOf(" ") + 1)));
  const merged = [...routes].filter((route) => variablesIn(route).some((one) => one !== "id"));
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

/** Lists the names of the requests in a plan's scenarios as they appear in a summary. */
function requestNames(plan: Plan): string[] {
  return numberedRequests(plan).map(requestName);
}

/**
 * Returns the number of requests to an endpoint as a log counts them. A log counts the target of a
 * redirect under the target's own endpoint, but a summary counts it under the endpoint that
 * redirected.
 */
function requestsTo({ count, statuses }: EndpointStats): number {
  const followed = sum([...REDIRECT_STATUSES].map((status) => statuses[status] ?? 0));
  return followed < count ? count - followed : count;
}

function compareRates(log: number, factor: number, run: number): LogComparison["rate"] {
  return { log, factor, run, differs: Math.abs(run / (factor * log) - 1) > RATE_TOLERANCE };
}

/**
 * Returns the ratio of a plan's rate to that of the log: the plan's own speed and squeeze. Returns
 * 1 if the plan does not replay recorded arrivals.
 */
function rateFactor({ scenarios }: Plan, logRate: number): number {
  const [scenario] = Object.values(scenarios);
  const { mean } = requestRange(scenario.flow);
  if (scenario.executor !== "recorded-arrivals" || mean === undefined) return 1;
  const perSecond = scenario.rate / (durationMs(scenario.time_unit ?? "1s")! / 1_000);
  return Number((perSecond * mean / logRate).toPrecision(3));
}

/**
 * Adds up the number of responses in each status class. Index 2 counts the statuses 200 to 299, and
 * index 0 the responses without a status.
 */
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

/**
 * Cumulative request curve as points in ascending order. `share` is the fraction of the requests
 * sent up to `time`, a fraction of the duration; both are 0 to 1.
 */
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

/** Returns the maximum difference between two curves. */
function maxDifference(a: Curve, b: Curve): number {
  const [readA, readB] = [reader(a), reader(b)];
  const times = Array.from({ length: POINTS }, (_, i) => (i + 1) / POINTS);
  return Math.max(...times.map((time) => Math.abs(readA(time) - readB(time))));
}

/** Creates a function that interpolates a curve linearly. Call it with ascending times only. */
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
