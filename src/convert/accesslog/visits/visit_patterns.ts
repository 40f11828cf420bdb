import { sum } from "../../../base/sum.ts";
import { InputError } from "../../../base/errors.ts";
import type { Step } from "../../../plan/kinds/steps/steps.ts";
import type { EndpointCount } from "../../../traffic/accesslog/profile/endpoint_order.ts";
import type { Visits } from "../../../traffic/accesslog/collect/visits/visits.ts";
import type { VisitSequence } from "../../../traffic/accesslog/collect/visits/visit_table.ts";
import type { LogNote } from "../../notes/note.ts";
import { formatThousands, percentText, plural } from "../../../base/format.ts";
import { buildSingleRequest, endpointName, type FlowChoice } from "./single_request.ts";
import { cluster } from "./cluster.ts";
import { buildMix } from "./mix.ts";
import { pauseLike } from "./pause_like.ts";

/** A sequence of requests that represents similar visits. */
export interface VisitPattern {
  /**
   * The most frequent sequence among the visits that the pattern represents. Its pauses determine
   * the think times of the pattern.
   */
  readonly leader: VisitSequence;
  readonly endpoints: readonly EndpointCount[];
  readonly weight: number;
}

/** The visit patterns and single requests that iterations choose from. */
export interface VisitPatterns {
  readonly patterns: readonly VisitPattern[];
  /**
   * Endpoints that iterations also request on their own, outside visit patterns. `count` is the
   * number of these requests.
   */
  readonly singles: readonly EndpointCount[];
  /**
   * All endpoints of the plan, without duplicates. `count` is the number of requests in the log.
   */
  readonly endpoints: readonly EndpointCount[];
  /** Ratio of iterations to requests in the plan, from 0 to 1. */
  readonly share: number;
  /** Mean total pause of an iteration, in seconds. */
  readonly pauseSeconds: number;
  readonly notes: readonly LogNote[];
}

/**
 * Groups the visits of a log into weighted patterns, and adds the log's other requests as single
 * requests. The plan sends as many requests to each of the `top` most frequent endpoints as the log
 * contains. `all` contains the log's endpoints, sorted by number of requests, highest first.
 * `nameOf` maps the name of a recorded endpoint to the name of the endpoint in `all` that
 * represents it. Throws InputError if the log's lines have no client address.
 */
export function buildVisitPatterns(
  visits: Visits,
  all: readonly EndpointCount[],
  top: number,
  nameOf: (recorded: string) => string = (recorded) => recorded,
): VisitPatterns {
  const kept = all.slice(0, top);
  const { sequences, visits: count, left, unsorted, oneIn } = visits.finish();
  if (count === 0) throw noClients();
  const named = new Map(all.map((endpoint) => [endpointName(endpoint), endpoint]));
  const several = sequences.filter(({ steps }) => steps.length > 1);
  const found = cluster(several).map(({ leader, members }) => ({
    leader,
    steps: leader.steps.map((step) => nameOf(visits.endpoint(step))),
    visits: countVisits(members),
  }));
  const mix = buildMix(
    found,
    new Map(all.map((endpoint) => [endpointName(endpoint), endpoint.count])),
  );
  const patterns = found.map(({ leader, steps }, i) => ({
    leader,
    endpoints: steps.map((step) => named.get(step)!),
    weight: mix.patterns[i],
  })).filter(({ weight }) => weight > 0);
  const singles = kept.map((one) => ({ ...one, count: mix.singles.get(endpointName(one)) ?? 0 }))
    .filter(({ count }) => count > 0);
  const together = sum(patterns.map(({ endpoints, weight }) => endpoints.length * weight));
  const alone = sum(singles.map(({ count }) => count));
  const iterations = alone + sum(patterns.map(({ weight }) => weight));
  const requests = together + alone;
  const whole = countVisits(several) + left;
  return {
    patterns,
    singles,
    endpoints: [...new Set([...kept, ...patterns.flatMap(({ endpoints }) => endpoints)])],
    share: iterations / requests,
    pauseSeconds: sum(patterns.map(({ leader, weight }) => weight * totalPause(leader))) /
      iterations,
    notes: [
      {
        code: "journeys",
        subject: "scenarios.replayed_traffic.flow",
        message:
          `${percentText(sum(patterns.map(({ weight }) => weight)), whole)} of ${
            plural(whole, "visit")
          } ` +
          "with several requests (same client and user agent, at most 30 min idle) are replayed as " +
          `${plural(patterns.length, "visit pattern")}; these visits send ${
            percentText(together, requests)
          } of the plan's ` +
          "requests; the other requests are sent one at a time, to keep the mix of the log" +
          (oneIn > 1
            ? `; there are many visitors, so only a sample of 1 in ${
              formatThousands(oneIn)
            } was counted`
            : ""),
      },
      ...splitVisits(unsorted),
      ...oneClient(visits),
    ],
  };
}

/**
 * Returns the choices of an iteration: one per visit pattern, followed by one per single request.
 */
export function buildChoices(
  { patterns, singles }: VisitPatterns,
  requestOf: (endpoint: EndpointCount) => Step,
): FlowChoice[] {
  return [
    ...patterns.map(({ leader, endpoints, weight }, i) => ({
      weight,
      name: `visit pattern ${i + 1}: ${plural(endpoints.length, "request")}`,
      steps: endpoints.flatMap((endpoint, k) => [
        ...(k === 0 ? [] : pauseBefore(leader, k)),
        requestOf(endpoint),
      ]),
    })),
    ...singles.map((endpoint) => buildSingleRequest(endpoint, requestOf)),
  ];
}

function splitVisits(unsorted: number): LogNote[] {
  if (unsorted === 0) return [];
  return [{
    code: "split-visits",
    subject: "--journeys",
    message: `${plural(unsorted, "request")} in the logs ${unsorted === 1 ? "is" : "are"} more ` +
      "than 30 min earlier than the same visitor's preceding request, so visits may be split: pass " +
      "the logs in chronological order, and merge the logs of several servers by time",
  }];
}

function oneClient({ onlyClient }: Visits): LogNote[] {
  if (onlyClient === undefined) return [];
  return [{
    code: "one-client",
    subject: "--journeys",
    message:
      `all requests in the log have the same client address, ${onlyClient}, so they form one visit; ` +
      "the address may belong to a proxy or to the server itself; log `X-Forwarded-For` and describe the " +
      "lines with `--log-format`",
  }];
}

function noClients(): InputError {
  return new InputError(
    "cannot find the visits in the log: its lines do not contain the client address; log the " +
      "address and describe the lines with `--log-format`, or omit `--journeys`",
    { source: "access log" },
  );
}

function countVisits(sequences: readonly VisitSequence[]): number {
  return sum(sequences.map(({ count }) => count));
}

function pauseBefore({ pauses, count }: VisitSequence, step: number): Step[] {
  return pauseLike(pauses[step - 1], count);
}

/** Returns the mean total pause of a visit, in seconds. */
function totalPause({ pauses, count }: VisitSequence): number {
  return pauses.reduce((sum, pause) => sum + pause.sum, 0) / count / 1_000;
}
