import type { TrafficProfile } from "../traffic/accesslog/profile.ts";
import type { Note } from "./notes.ts";
import { grouped, percent, plural, rateText } from "./wording.ts";

/** What the notes are drawn from: the log's profile and what the plan kept of it. */
export interface AccessLogFacts {
  readonly profile: TrafficProfile;
  /** Absent when it is left to the user. */
  readonly baseUrl: string | undefined;
  readonly kept: readonly { method: string; route: string; count: number }[];
  readonly keptRequests: number;
  /** Requests per second over the whole log. */
  readonly average: number;
}

const SCENARIO = "scenarios.replayed_traffic";
const WITH_BODY = ["POST", "PUT", "PATCH"];

/** Every approximation of an access-log plan (converter.md section 7.1), in that section's order. */
export function accessLogNotes(facts: AccessLogFacts): Note[] {
  return [baseUrlUnset, averageRate, idSegments, queryDropped, requestBodies, longTail, malformed]
    .map((note) => note(facts))
    .filter((note) => note !== undefined);
}

function baseUrlUnset({ baseUrl }: AccessLogFacts): Note | undefined {
  if (baseUrl !== undefined) return undefined;
  return {
    code: "base-url",
    subject: "defaults.http.base_url",
    message: "logs record neither scheme nor host, so base_url is not set; " +
      "set defaults.http.base_url, or run with --base-url URL",
  };
}

function averageRate({ profile, average }: AccessLogFacts): Note {
  return {
    code: "average-rate",
    subject: `${SCENARIO}.rate`,
    message: `the rate is the observed average, ${rateText(average)} req/s, and the peak was ` +
      `${
        grouped(profile.peak)
      } req/s; for the worst case switch to ramping-arrival-rate up to the peak`,
  };
}

function idSegments({ profile }: AccessLogFacts): Note | undefined {
  if (profile.withIds === 0) return undefined;
  return {
    code: "id-segments",
    subject: "variables.id",
    message: `id-like path segments of ${plural(profile.withIds, "request")} were replaced with ` +
      "${vars.id}; replace the placeholder id with a data: feeder of real identifiers",
  };
}

function queryDropped({ profile }: AccessLogFacts): Note | undefined {
  if (profile.withQuery === 0) return undefined;
  return {
    code: "query-dropped",
    subject: "query strings",
    message: `the query strings of ${plural(profile.withQuery, "request")} were dropped; ` +
      "re-add the parameters that matter with params:",
  };
}

function requestBodies({ kept }: AccessLogFacts): Note | undefined {
  const endpoints = kept.filter(({ method }) => WITH_BODY.includes(method));
  if (endpoints.length === 0) return undefined;
  return {
    code: "request-bodies",
    subject: "request bodies",
    message: `logs do not record bodies, and ${plural(endpoints.length, "kept endpoint")} ` +
      "would send one; add a realistic body: to the POST, PUT and PATCH requests",
  };
}

function longTail({ profile, kept, keptRequests }: AccessLogFacts): Note | undefined {
  if (kept.length === profile.endpoints) return undefined;
  return {
    code: "long-tail",
    subject: "endpoints",
    message: `only the top ${grouped(kept.length)} of ${plural(profile.endpoints, "endpoint")} ` +
      `are kept; they cover ${percent(keptRequests, profile.total)} of the requests ` +
      "(--top N keeps more, --top all keeps all)",
  };
}

function malformed({ profile }: AccessLogFacts): Note | undefined {
  if (profile.malformed === 0) return undefined;
  return {
    code: "malformed-lines",
    subject: "malformed lines",
    message: `${plural(profile.malformed, "line")} could not be parsed and were skipped` +
      " — of " + `${plural(profile.total + profile.malformed, "line")}`,
  };
}
