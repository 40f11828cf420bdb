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
import { describeTraffic } from "./accesslog/traffic_line.ts";
import type { Converted } from "./converted.ts";

/** Options for converting an access log to a plan. */
export interface AccessLogOptions {
  readonly baseUrl?: string;
  /** Endpoints to keep, most frequent first. */
  readonly top: number;
  /** By default, the log's average rate. */
  readonly load?: LogLoadOptions;
  readonly filters?: readonly FilterCount[];
  /** For thresholds and the number of VUs. */
  readonly timings?: Timings;
  /** Recorded ids, and the CSV file for them. By default, placeholders. */
  readonly ids?: { readonly seen: EndpointValues; readonly path: string };
  readonly queries?: EndpointValues;
  readonly routes?: RouteOptions;
  readonly redacts?: boolean;
  /** Recorded visits, and the CSV file for them. By default, an iteration is a request. */
  readonly visits?: {
    readonly seen: Visits;
    readonly path: string;
    readonly maxBytes: number;
  };
  readonly login?: Plan;
  readonly responses?: ResponseOptions;
  readonly sample?: TrafficSample;
  /** Unix milliseconds, for the warning about requests in the future. */
  readonly now?: number;
  readonly timeZone?: string;
}

/** The result of converting an access log to a plan. */
export interface LogConversion extends Converted {
  /** Line about static assets, bots, failures and the busiest client. Absent if there are few. */
  readonly traffic?: string;
  readonly coverage: string;
}

/**
 * Converts a log to a plan with a scenario `replayed_traffic`, which requests its endpoints in the
 * recorded mix. Throws RangeError if the profile has no requests.
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
    ...describeTraffic(profile, span, options.sample, {
      kept,
      ids: sendsAllIds(traffic),
      queries: (visits ?? queries) !== undefined,
      visits: visits?.share ?? 0,
      nameOf: routes.nameOf,
    }),
    header: headerComments(facts, notes),
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

/** Reports whether the plan has no placeholders for ids. */
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

/** Visits contain the targets of redirects, so they do not follow them. */
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
