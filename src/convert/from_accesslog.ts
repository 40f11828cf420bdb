import { MAX_VUS } from "../plan/kinds/scenario.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Scenario } from "../plan/kinds/executors.ts";
import { literal, variablesIn } from "../plan/text/template.ts";
import type { EndpointValues } from "../traffic/accesslog/collect/endpoint_values.ts";
import type { Timings } from "../traffic/accesslog/collect/request_counts.ts";
import type { TrafficSample } from "../traffic/accesslog/collect/traffic_sample.ts";
import type { Visits } from "../traffic/accesslog/collect/visits.ts";
import type { TimeSpan, TrafficProfile } from "../traffic/accesslog/profile/traffic_profile.ts";
import {
  mergeRoutes,
  NOT_MERGED,
  type RouteOptions,
} from "../traffic/accesslog/routes/merge_routes.ts";
import { buildIdFeeder, endpointName, keepQueries } from "./accesslog/ids.ts";
import {
  type AccessLogFacts,
  accessLogNotes,
  coverage,
  headerComments,
} from "./accesslog/log_notes.ts";
import { observedLimits, responseKeys, type ResponseOptions } from "./accesslog/responses.ts";
import type { FilterCount } from "./accesslog/reading_notes.ts";
import { type Load, type LogLoadOptions, reproduceRate } from "./accesslog/rate/reproduce_rate.ts";
import { recordVisits } from "./accesslog/recorded_visits.ts";
import { Redaction } from "./accesslog/redaction.ts";
import { planLine, summaryLine, trafficLine } from "./accesslog/traffic_line.ts";
import type { Converted } from "./converted.ts";

/** Options for converting an access log to a plan. */
export interface AccessLogOptions {
  readonly baseUrl?: string;
  /** Number of endpoints to keep, starting with the most frequent. Infinity keeps all. */
  readonly top: number;
  /**
   * How the plan's rate follows the log's rate. When absent, the rate is constant, at the log's
   * average.
   */
  readonly load?: LogLoadOptions;
  readonly filters?: readonly FilterCount[];
  /**
   * Durations and statuses of the log's requests, from which to derive thresholds and the number of
   * VUs. When absent, the plan has no thresholds.
   */
  readonly timings?: Timings;
  /**
   * Recorded ids, and the path of the CSV file from which the plan reads them. When absent, the
   * plan sends a placeholder.
   */
  readonly ids?: { readonly seen: EndpointValues; readonly path: string };
  readonly queries?: EndpointValues;
  readonly routes?: RouteOptions;
  readonly redacts?: boolean;
  /**
   * Recorded visits, and the path of the CSV file from which the plan reads them. When absent,
   * every iteration is one request.
   */
  readonly visits?: {
    readonly seen: Visits;
    readonly path: string;
    readonly maxBytes: number;
  };
  readonly login?: Plan;
  readonly responses?: ResponseOptions;
  readonly sample?: TrafficSample;
  /**
   * Current time in Unix milliseconds, for the warning about requests dated in the future. When
   * absent, this warning is disabled.
   */
  readonly now?: number;
  readonly timeZone?: string;
}

/** The result of converting an access log to a plan. */
export interface LogConversion extends Converted {
  /**
   * Line about static assets, bots, failures and the busiest client in the log, to print
   * after the summary. Absent if the log contains hardly any of these.
   */
  readonly traffic?: string;
  readonly coverage: string;
}

/**
 * Converts the profile of an access log to a plan with one scenario, `replayed_traffic`. The
 * scenario requests the log's endpoints in the recorded mix, at the log's average rate or following
 * the log's rate curve. Throws RangeError if the profile has no requests.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { COMBINED } from "../traffic/accesslog/formats/formats.ts";
 * import { LogScanner } from "../traffic/accesslog/log_scanner.ts";
 * import { TrafficProfile } from "../traffic/accesslog/profile/traffic_profile.ts";
 *
 * const log = new TextEncoder().encode(
 *   '10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET /products HTTP/1.1" 200 512 "-" "-"\n' +
 *     '10.0.0.2 - - [21/Nov/2026:10:00:04 +0000] "GET /products HTTP/1.1" 200 512 "-" "-"\n',
 * );
 * const profile = new TrafficProfile();
 * const scanner = new LogScanner(profile, COMBINED);
 * profile.beginSource("access.log");
 * scanner.start(0, 0);
 * scanner.scan(log);
 * profile.endSource(log.length, scanner.finish());
 *
 * const { plan } = convertAccessLog(profile, { top: 20, baseUrl: "https://shop.example" });
 * assertEquals(plan.scenarios.replayed_traffic.executor, "constant-arrival-rate");
 * assertEquals(plan.defaults?.http?.base_url, "https://shop.example");
 * ```
 */
export function convertAccessLog(
  profile: TrafficProfile,
  options: AccessLogOptions,
): LogConversion {
  const span = profile.span();
  if (span === undefined) {
    throw new RangeError("cannot create a plan from a profile without requests");
  }
  const traffic = keepTraffic(profile, span, options);
  const load = planLoad(traffic, options.load);
  const facts: LogFacts = {
    ...traffic,
    load,
    limits: options.timings && observedLimits(options.timings, load.peak),
    sample: options.sample,
    baseUrl: options.baseUrl,
    filters: options.filters ?? [],
    speed: options.load?.speed ?? 1,
    isRateKept: options.load?.rate === "kept",
    revalidates: options.responses?.revalidates ?? false,
    now: options.now,
    timeZone: options.timeZone,
  };
  const notes = accessLogNotes(facts);
  const { kept, visits, ids, queries, routes } = traffic;
  return {
    plan: buildPlan(facts, options),
    notes,
    files: { ids: ids?.csv, arrivals: load.arrivalsCsv, visits: visits?.csv },
    traffic: trafficLine(profile, options.sample),
    coverage: planLine(profile, options.sample, {
      kept,
      ids: sendsAllIds(traffic),
      queries: (visits ?? queries) !== undefined,
      visits: visits?.share ?? 0,
      nameOf: routes.nameOf,
    }),
    header: headerComments(facts, notes),
    summary: summaryLine(profile, span, kept),
  };
}

type KeptTraffic = ReturnType<typeof keepTraffic>;
type LogFacts = KeptTraffic & AccessLogFacts;

function keepTraffic(profile: TrafficProfile, span: TimeSpan, options: AccessLogOptions) {
  const { login } = options;
  const redaction = options.redacts ? new Redaction() : undefined;
  const routes = options.routes || redaction
    ? mergeRoutes(profile, {
      patterns: [],
      isAutomatic: false,
      ...options.routes,
      ...(redaction && { redactedAs: redaction.segmentAs }),
    })
    : NOT_MERGED;
  const kept = profile.top(options.top);
  const keysOf = options.responses && responseKeys(options.responses, routes.nameOf);
  const visits = options.visits &&
    recordVisits(options.visits.seen, kept, profile, span, {
      ...options.visits,
      login,
      keysOf,
      squeeze: options.load?.squeeze ?? 1,
      nameOf: routes.nameOf,
      redaction,
    });
  const ids = options.ids &&
    buildIdFeeder(
      options.ids.seen,
      kept,
      options.ids.path,
      routes.partsOf,
      redaction,
      options.queries !== undefined,
    );
  const queries = options.queries &&
    keepQueries(
      options.queries,
      kept.filter((endpoint) => !ids?.hasQueries(endpoint)),
      routes.partsOf,
      redaction,
    );
  return { profile, span, redaction, routes, kept, keysOf, visits, ids, queries };
}

function planLoad(
  { profile, span, kept, visits }: KeptTraffic,
  options: LogLoadOptions = {},
): Load {
  return reproduceRate(profile, span, options, {
    share: visits === undefined ? 1 : visits.starts.count / profile.requests,
    pauseSeconds: 0,
    // Visits contain only requests to kept endpoints.
    coverage: visits === undefined ? coverage(profile, kept) : 1,
    starts: visits?.starts,
  });
}

/**
 * Reports whether all ids that the plan sends are recorded ones, so that it has no placeholders.
 */
function sendsAllIds({ visits, ids }: KeptTraffic): boolean {
  return visits !== undefined || ids?.isPartial === false;
}

function buildPlan(facts: LogFacts, { baseUrl, login }: AccessLogOptions): Plan {
  const { profile: { requests }, span, limits, visits, ids, queries } = facts;
  const variables = sendsAllIds(facts) ? {} : placeholders(facts);
  return {
    name: "access log replay",
    description:
      `Imported from an access log by rehearse convert: ${requests} ${
        requests === 1 ? "request" : "requests"
      } over ` +
      `${span.seconds} s, average ${(requests / span.seconds).toFixed(2)} req/s, ` +
      `peak ${span.peak} req/s.`,
    ...httpDefaults(baseUrl, visits !== undefined, login),
    ...login && loginParts(login),
    ...(Object.keys(variables).length > 0 && { variables }),
    ...((visits || ids || queries) && { data: visits?.data ?? { ...ids?.data, ...queries?.data } }),
    scenarios: { replayed_traffic: buildScenario(facts) },
    ...(limits && { thresholds: limits.thresholds }),
  };
}

function buildScenario(facts: LogFacts): Scenario {
  const { load, limits, visits } = facts;
  return {
    ...load.arrival,
    pre_allocated_vus: visits ? load.vus : limits?.preAllocatedVus ?? load.vus,
    max_vus: visits || !limits ? Math.min(2 * load.vus, MAX_VUS) : limits.maxVus,
    ...(visits && { new_user: true, new_connections: true }),
    flow: visits?.flow ?? [{ random: { strategy: "weighted", choices: requestMix(facts) } }],
  };
}

function requestMix({ kept, ids, queries, keysOf }: KeptTraffic) {
  return kept.map((endpoint) => {
    const { method, route } = endpoint;
    const path = ids?.urlOf(endpoint) ?? route;
    const url = queries?.withQuery(endpoint, path) ?? path;
    const request = { name: `${method} ${route}`, method, url, ...keysOf?.(endpoint) };
    return { weight: endpoint.count, name: endpointName(endpoint), steps: [{ request }] };
  });
}

/**
 * Returns the plan's defaults. Visits contain the targets of redirects, so they do not follow them.
 */
function httpDefaults(
  baseUrl: string | undefined,
  hasVisits: boolean,
  login: Plan | undefined,
): Pick<Plan, "defaults"> {
  const http = {
    ...login?.defaults?.http,
    ...(baseUrl !== undefined && { base_url: literal(baseUrl) }),
    ...(hasVisits && { follow_redirects: false }),
  };
  return Object.keys(http).length === 0 ? {} : { defaults: { ...login?.defaults, http } };
}

function loginParts({ variables, secrets }: Plan): Pick<Plan, "variables" | "secrets"> {
  return { ...(variables && { variables }), ...(secrets && { secrets }) };
}

function placeholders({ kept, routes, redaction }: KeptTraffic): Record<string, string> {
  const values = kept.flatMap(({ route }) => variablesIn(route)).map((name) => [
    name,
    placeholderOf(name, routes.samples.get(name) ?? "1", redaction),
  ]);
  return Object.fromEntries(values);
}

function placeholderOf(name: string, sample: string, redaction: Redaction | undefined): string {
  if (redaction === undefined) return sample;
  return redaction.variables[name.replace(/_\d+$/, "")] ?? redaction.value(sample);
}
