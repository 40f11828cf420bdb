import { formatMs } from "../base/duration.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Step } from "../plan/schema/step.ts";
import { literal } from "../plan/template.ts";
import type { EndpointCount } from "../traffic/accesslog/endpoint_order.ts";
import type { EndpointValues } from "../traffic/accesslog/endpoint_values.ts";
import type { Timings } from "../traffic/accesslog/timings.ts";
import type { Visits } from "../traffic/accesslog/visits/visits.ts";
import type { TrafficProfile } from "../traffic/accesslog/traffic_profile.ts";
import { accessLogNotes, coverage, type FilterCount } from "./accesslog/log_notes.ts";
import { buildLoad, type LogLoadOptions } from "./accesslog/build_load.ts";
import { buildIdFeeder } from "./accesslog/ids.ts";
import { buildChoices, buildJourneys, buildSingleRequest } from "./accesslog/journeys/journeys.ts";
import { keepQueries } from "./accesslog/queries.ts";
import { trafficLine } from "./accesslog/traffic_line.ts";
import { observedLimits } from "./accesslog/observed_limits.ts";
import type { Converted } from "./converted.ts";
import { formatThousands } from "../base/format_thousands.ts";
import { plural } from "../base/plural.ts";
import { percentText, rateText } from "./wording.ts";

/** What a user may choose about a plan made from an access log. */
export interface AccessLogOptions {
  /** Origin that the plan's relative URLs are relative to; the user sets it later when absent. */
  readonly baseUrl?: string;
  /** Endpoints to keep, the most frequent first; Infinity keeps all. */
  readonly top: number;
  /** How the plan's rate follows the log's; its constant average when absent. */
  readonly load?: LogLoadOptions;
  /** What was left out of the log before it was counted. */
  readonly filters?: readonly FilterCount[];
  /** How long requests took, for thresholds; none are set when absent. */
  readonly timings?: Timings;
  /** The ids that were seen, and where the CSV file of them will stand; a placeholder when absent. */
  readonly ids?: { readonly seen: EndpointValues; readonly path: string };
  /** The query strings that were seen; they are dropped when absent. */
  readonly queries?: EndpointValues;
  /** The visits that were made, for journeys; every iteration is one request when absent. */
  readonly visits?: Visits;
  /** Unix milliseconds, to report requests dated in the future; not reported when absent. */
  readonly now?: number;
}

/** What the conversion of an access log gives. */
export interface LogConversion extends Converted {
  /** The CSV file of ids that the plan is fed from, when it was asked for. */
  readonly idsCsv?: string;
  /** What the traffic is, in one line after the summary; absent if there is nothing to report. */
  readonly traffic?: string;
}

/** The number of endpoints kept unless the user says otherwise (converter.md section 8). */
export const TOP_ENDPOINTS = 20;

/**
 * A plan with one scenario, `replayed_traffic`, that repeats the log's endpoints in their mix at its
 * average rate (converter.md sections 2 and 4.2). Throws RangeError when the profile holds no request.
 */
export function convertAccessLog(
  profile: TrafficProfile,
  options: AccessLogOptions,
): LogConversion {
  const { baseUrl, top, load: loadOptions = {}, filters = [], timings } = options;
  const span = profile.span();
  if (span === undefined) throw new RangeError("a profile without a request makes no plan");
  const journeys = options.visits && buildJourneys(options.visits, profile.top(Infinity), top);
  const kept = journeys?.endpoints ?? profile.top(top);
  const ids = options.ids && buildIdFeeder(options.ids.seen, kept, options.ids.path);
  const queries = options.queries && keepQueries(options.queries, kept);
  const requestOf = (endpoint: EndpointCount): Step => {
    const { method, route } = endpoint;
    const path = ids?.urlOf(endpoint) ?? route;
    const url = queries?.withQuery(endpoint, path) ?? path;
    return { request: { name: `${method} ${route}`, method, url } };
  };
  const choices = journeys === undefined
    ? kept.map((endpoint) => buildSingleRequest(endpoint, requestOf))
    : buildChoices(journeys, requestOf);
  const share = coverage(profile, kept);
  const load = buildLoad(profile, span, loadOptions, {
    share: journeys?.share ?? 1,
    pauseSeconds: journeys?.pauseSeconds ?? 0,
    coverage: share,
  });
  const limits = timings && observedLimits(timings, load.peak);
  const facts = {
    profile,
    load,
    limits,
    journeys,
    ids,
    queries,
    kept,
    baseUrl,
    filters,
    speed: loadOptions.speed ?? 1,
    isRateKept: loadOptions.rate === "kept",
    now: options.now,
  };
  const { requests } = profile;
  const average = requests / span.seconds;
  const plan: Plan = {
    name: "access log replay",
    description: `Imported from an access log by rehearse convert: ${requests} requests over ` +
      `${span.seconds} s, average ${average.toFixed(2)} req/s, peak ${span.peak} req/s.`,
    ...(baseUrl !== undefined && { defaults: { http: { base_url: literal(baseUrl) } } }),
    ...((ids === undefined || ids.isPartial) && { variables: { id: "1" } }),
    ...((ids || queries) && { data: { ...ids?.data, ...queries?.data } }),
    scenarios: {
      replayed_traffic: {
        ...load.arrival,
        pre_allocated_vus: limits?.preAllocatedVus ?? load.vus,
        max_vus: limits?.maxVus ?? 2 * load.vus,
        flow: [{ random: { strategy: "weighted", choices } }],
      },
    },
    ...(limits && { thresholds: limits.thresholds }),
  };
  const notes = accessLogNotes(facts);
  return {
    plan,
    notes,
    ...(ids && { idsCsv: ids.csv }),
    traffic: trafficLine(profile, span),
    header: [
      `Made by rehearse convert from an access log of ${plural(requests, "request")}.`,
      "",
      `It repeats the log's ${
        journeys ? "visits" : "endpoints"
      }, in their mix, ${load.words}. Use it to see how a`,
      "server holds under the traffic that was recorded.",
      "",
      "What was approximated, and what is left to set before load is put on a server:",
      ...notes.filter(({ code }) => code !== "malformed-lines")
        .map(({ subject, message }) => `- ${subject}: ${message}`),
      `- ${limits ? "checks" : "checks, thresholds"}: say what must hold for a run to pass`,
    ],
    summary: `${plural(requests, "request")} over ${formatMs(span.seconds * 1_000)}, ` +
      `average ${rateText(average)}/s, peak ${formatThousands(span.peak)}/s; ` +
      `${formatThousands(kept.length)} of ` +
      `${plural(profile.endpoints, "endpoint")} kept (${percentText(share, 1)} of the requests); ` +
      `${plural(profile.malformed, "line")} skipped`,
  };
}
