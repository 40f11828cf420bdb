import { formatMs, formatThousands, percentText, plural, sum } from "../../base/format.ts";
import { variablesIn } from "../../plan/text/template.ts";
import {
  MIN_REPORTED,
  type TrafficSample,
} from "../../traffic/accesslog/collect/traffic_sample.ts";
import type { EndpointCount } from "../../traffic/accesslog/profile/endpoint_table.ts";
import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { isStaticAsset } from "../../traffic/static_asset.ts";
import { rateText } from "../notes/notes.ts";
import { coverage } from "./log_notes.ts";
import { endpointName } from "./ids.ts";

/** Smaller parts of the traffic are not reported. */
const LEAST_SHARE = 0.01;

const LEAST_CLIENT_SHARE = 0.05;

/** Of an incomplete sample: otherwise, another client may be the busiest in the whole log. */
const LEAST_SAMPLED_SHARE = 0.3;

interface Part {
  readonly share: number;
  readonly words: string;
  readonly least?: number;
}

export interface SentParts {
  readonly kept: readonly EndpointCount[];
  readonly ids: boolean;
  readonly queries: boolean;
  readonly visits: number;
  readonly nameOf: (recorded: string) => string;
}

/** Describes a log, and what the plan keeps of it. `sample` gives estimates. */
export function describeTraffic(
  profile: TrafficProfile,
  span: TimeSpan,
  sample: TrafficSample | undefined,
  sent: SentParts,
): { traffic?: string; coverage: string; summary: string } {
  return {
    traffic: trafficLine(profile, sample),
    coverage: planLine(profile, sample, sent),
    summary: summaryLine(profile, span, sent.kept),
  };
}

/** Describes what a plan rarely needs, such as assets and bots, and the options to exclude it. */
function trafficLine(
  profile: TrafficProfile,
  sample: TrafficSample | undefined,
): string | undefined {
  const parts = [
    ...describe([{
      share: staticShare(profile),
      words: "static assets (exclude with `--no-static`)",
    }]),
    ...(sample === undefined ? [] : describeSample(sample)),
  ];
  return parts.length === 0 ? undefined : `traffic: ${parts.join(", ")}`;
}

const MOST_REQUESTS = 0.95;

/** States what the plan can send, and the options that give more. */
function planLine(
  profile: TrafficProfile,
  sample: TrafficSample | undefined,
  { kept, ids, queries, visits, nameOf }: SentParts,
): string {
  const requestsTo = (endpoints: readonly EndpointCount[]) =>
    sum(endpoints.map(({ count }) => count));
  const sent = requestsTo(kept);
  const names = new Set(kept.map(endpointName));
  const urls = sample?.urls.filter(({ endpoint, hasId, hasQuery }) =>
    names.has(nameOf(endpoint)) && (ids || !hasId) && (queries || !hasQuery)
  );
  const parts = [
    `${percentText(sent, profile.requests)} of the requests${topAdvice(profile, sent)}`,
    ...(urls === undefined || sample === undefined ? [] : [
      `${sample.isWhole ? "" : "about "}${
        percentText(urls.length * (visits || 1), sample.urls.length)
      } of the distinct URLs`,
    ]),
    visits === 0 ? "none of the visits" : `${percentText(visits, 1)} of the visits`,
  ];
  const placeholders = ids
    ? 0
    : requestsTo(kept.filter(({ route }) => variablesIn(route).length > 0));
  return `plan: can send ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` +
    (visits === 0 ? " (`--faithful` replays the log)" : "") +
    (placeholders > 0
      ? `; ${percentText(placeholders, sent)} of its requests have a placeholder instead of ids`
      : "");
}

function topAdvice(profile: TrafficProfile, sent: number): string {
  if (sent >= MOST_REQUESTS * profile.requests) return "";
  let covered = 0;
  const top = profile.top(Infinity).findIndex(({ count }) =>
    (covered += count) >= MOST_REQUESTS * profile.requests
  );
  return ` (\`--top ${top + 1}\` covers 95%)`;
}

function describe(parts: readonly Part[], format = (share: number) => percentText(share, 1)) {
  return parts.filter(({ share, least = LEAST_SHARE }) => share >= least)
    .map(({ share, words }) => `${format(share)} ${words}`);
}

/** Rounds shares to whole percentages if they are estimates. */
function describeSample(sample: TrafficSample): string[] {
  if (sample.isWhole) return describe(sampledParts(sample));
  const texts = describe(sampledParts(sample), (share) => `about ${Math.round(share * 100)}%`);
  return texts.length === 0 ? [] : [
    `in a sample of ${plural(sample.requests, "request")}${
      sample.isHead ? " (only the beginning of compressed files and streams)" : ""
    }: ${texts.join(", ")}`,
  ];
}

function sampledParts(sample: TrafficSample): Part[] {
  const { requests, bots = 0, errors, clients, busiest } = sample;
  if (requests < MIN_REPORTED) return [];
  return [
    { share: bots / requests, words: "bots (exclude with `--no-bots`)" },
    {
      share: errors / requests,
      words: "4xx or 5xx responses (exclude with `--status 1xx,2xx,3xx`)",
    },
    ...(busiest === undefined || clients === 1 ? [] : [{
      share: busiest.requests / requests,
      words: `from the busiest client (exclude with \`--exclude-client ${busiest.client}\`)`,
      least: sample.isWhole ? LEAST_CLIENT_SHARE : LEAST_SAMPLED_SHARE,
    }]),
  ];
}

function staticShare(profile: TrafficProfile): number {
  const decoder = new TextDecoder();
  const isStatic = (key: Uint8Array) => {
    const [method, path] = decoder.decode(key).split(" ", 2);
    return /^(?:GET|HEAD)$/.test(method) && isStaticAsset("", path);
  };
  return profile.countRequestsWhere(isStatic) / profile.requests;
}

function summaryLine(
  profile: TrafficProfile,
  span: TimeSpan,
  kept: readonly EndpointCount[],
): string {
  const { requests, endpoints, malformed } = profile;
  return `${plural(requests, "request")} over ${formatMs(span.seconds * 1_000)}, ` +
    `average ${rateText(requests / span.seconds)}/s, peak ${formatThousands(span.peak)}/s; ` +
    `${formatThousands(kept.length)} of ${plural(endpoints, "endpoint")} kept ` +
    `(${percentText(coverage(profile, kept), 1)} of the requests); ` +
    `${plural(malformed, "line")} skipped`;
}
