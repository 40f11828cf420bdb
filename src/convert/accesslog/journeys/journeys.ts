import { InputError } from "../../../base/errors.ts";
import type { Step } from "../../../plan/schema/step.ts";
import type { EndpointCount } from "../../../traffic/accesslog/endpoint_order.ts";
import type { Visits } from "../../../traffic/accesslog/visits/visits.ts";
import type { VisitSequence } from "../../../traffic/accesslog/visits/visit_table.ts";
import type { Note } from "../../note.ts";
import { plural } from "../../../base/plural.ts";
import { percentText } from "../../wording.ts";
import { cluster } from "./cluster.ts";
import { buildMix } from "./mix.ts";
import { pauseLike } from "./pause_like.ts";

/** Visits of one kind, and how often the plan makes one. */
export interface VisitPattern {
  readonly leader: VisitSequence;
  readonly endpoints: readonly EndpointCount[];
  readonly weight: number;
}

/** What iterations do, instead of a single request each. */
export interface VisitPatterns {
  readonly journeys: readonly VisitPattern[];
  /** What is asked for beside them, `count` being how often. */
  readonly singles: readonly EndpointCount[];
  /** Every endpoint of the plan, once, as the log has it. */
  readonly endpoints: readonly EndpointCount[];
  /** Iterations for each request. */
  readonly share: number;
  /** How long an iteration pauses, in the mean, in seconds. */
  readonly pauseSeconds: number;
  readonly notes: readonly Note[];
}

/**
 * The visits of a log as weighted journeys, and its other requests by themselves, so that every endpoint
 * that a journey asks for, or that is one of the `top`, comes up as often as in the log. `all` are the
 * log's endpoints, the most frequent first. Throws InputError when the log tells no clients.
 */
export function buildJourneys(
  visits: Visits,
  all: readonly EndpointCount[],
  top: number,
): VisitPatterns {
  const kept = all.slice(0, top);
  const { sequences, visits: count, left } = visits.finish();
  if (count === 0) throw noClients();
  const named = new Map(all.map((endpoint) => [endpointName(endpoint), endpoint]));
  const several = sequences.filter(({ steps }) => steps.length > 1);
  const found = cluster(several).map(({ leader, members }) => ({
    leader,
    steps: leader.steps.map((step) => visits.endpoint(step)),
    visits: countVisits(members),
  }));
  const mix = buildMix(
    found,
    new Map(all.map((endpoint) => [endpointName(endpoint), endpoint.count])),
  );
  const journeys = found.map(({ leader, steps }, i) => ({
    leader,
    endpoints: steps.map((step) => named.get(step)!),
    weight: mix.journeys[i],
  })).filter(({ weight }) => weight > 0);
  const singles = kept.map((one) => ({ ...one, count: mix.singles.get(endpointName(one)) ?? 0 }))
    .filter(({ count }) => count > 0);
  const together = sum(journeys.map(({ endpoints, weight }) => endpoints.length * weight));
  const alone = sum(singles.map(({ count }) => count));
  const iterations = alone + sum(journeys.map(({ weight }) => weight));
  const requests = together + alone;
  const whole = countVisits(several) + left;
  return {
    journeys,
    singles,
    endpoints: [...new Set([...kept, ...journeys.flatMap(({ endpoints }) => endpoints)])],
    share: iterations / requests,
    pauseSeconds: sum(journeys.map(({ leader, weight }) => weight * totalPause(leader))) /
      iterations,
    notes: [{
      level: "info",
      code: "journeys",
      subject: "scenarios.replayed_traffic.flow",
      message: `${
        percentText(sum(found.map((one) => one.visits)), whole)
      } of ${plural(whole, "visit")} ` +
        "with several requests (client and user agent, 30 min idle) are replayed as " +
        `${plural(journeys.length, "journey")}, with ${
          percentText(together, requests)
        } of the plan's ` +
        "requests; the other requests are sent one by one, so that the mix stays the log's",
    }, ...oneClient(visits)],
  };
}

/** One way an iteration can go. */
export interface JourneyChoice {
  readonly weight: number;
  readonly name: string;
  readonly steps: Step[];
}

/** The journeys, and the other requests, as what an iteration chooses from. */
export function buildChoices(
  { journeys, singles }: VisitPatterns,
  requestOf: (endpoint: EndpointCount) => Step,
): JourneyChoice[] {
  return [
    ...journeys.map(({ leader, endpoints, weight }, i) => ({
      weight,
      name: `journey ${i + 1}: ${plural(endpoints.length, "request")}`,
      steps: endpoints.flatMap((endpoint, k) => [
        ...(k === 0 ? [] : pauseBefore(leader, k)),
        requestOf(endpoint),
      ]),
    })),
    ...singles.map((endpoint) => buildSingleRequest(endpoint, requestOf)),
  ];
}

/** One request, as often as its endpoint counts. */
export function buildSingleRequest(
  endpoint: EndpointCount,
  requestOf: (endpoint: EndpointCount) => Step,
): JourneyChoice {
  return { weight: endpoint.count, name: endpointName(endpoint), steps: [requestOf(endpoint)] };
}

function oneClient({ onlyClient }: Visits): Note[] {
  if (onlyClient === undefined) return [];
  return [{
    code: "one-client",
    subject: "--journeys",
    message:
      `the log names 1 client: ${onlyClient}. A proxy or the host may have been taken for the ` +
      "client, which makes one visit of all; log `X-Forwarded-For` and describe the lines with " +
      "`--log-format`",
  }];
}

function noClients(): InputError {
  return new InputError(
    "no visits can be made of the log: its lines tell no client; log that and give --log-format, or " +
      "leave --journeys out",
    { source: "access log" },
  );
}

function countVisits(sequences: readonly VisitSequence[]): number {
  return sum(sequences.map(({ count }) => count));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function endpointName({ method, route }: EndpointCount): string {
  return `${method} ${route}`;
}

function pauseBefore({ pauses, count }: VisitSequence, step: number): Step[] {
  return pauseLike(pauses[step - 1], count);
}

/** How long a visit pauses in all, in seconds. */
function totalPause({ pauses, count }: VisitSequence): number {
  return pauses.reduce((sum, pause) => sum + pause.sum, 0) / count / 1_000;
}
