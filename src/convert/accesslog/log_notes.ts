import type { EndpointCount } from "../../traffic/accesslog/endpoint_order.ts";
import type { TrafficProfile } from "../../traffic/accesslog/traffic_profile.ts";
import type { Note } from "../note.ts";
import { formatThousands } from "../../base/format_thousands.ts";
import { plural } from "../../base/plural.ts";
import { percentText } from "../wording.ts";
import type { IdFeeder } from "./ids.ts";
import type { VisitPatterns } from "./journeys/journeys.ts";
import { gaps } from "./gaps.ts";
import { type Load, times } from "./build_load.ts";
import { oddTimes } from "./odd_times.ts";
import type { KeptQueries } from "./queries.ts";
import { secretPaths } from "./log_secrets.ts";
import type { ObservedLimits } from "./observed_limits.ts";

/** What the notes are drawn from: the log's profile and what the plan made of it. */
export interface AccessLogFacts {
  readonly profile: TrafficProfile;
  readonly load: Load;
  readonly limits: ObservedLimits | undefined;
  readonly journeys: VisitPatterns | undefined;
  readonly ids: IdFeeder | undefined;
  readonly queries: KeptQueries | undefined;
  readonly kept: readonly EndpointCount[];
  /** Absent when it is left to the user. */
  readonly baseUrl: string | undefined;
  readonly filters: readonly FilterCount[];
  /** Factor on the log's rate. */
  readonly speed: number;
  /** Whether the rate is scaled to the share of the kept endpoints. */
  readonly isRateKept: boolean;
  /** Unix milliseconds; times in the future are not looked for when absent. */
  readonly now: number | undefined;
}

/** What an option left out. */
export interface FilterCount {
  /** Such as `--since`. */
  readonly option: string;
  /** Requests that it left out of those that the options before it had not. */
  readonly dropped: number;
}

const WITH_BODY = ["POST", "PUT", "PATCH"];

/** Every approximation of an access-log plan (converter.md section 7.1), in that section's order. */
export function accessLogNotes(facts: AccessLogFacts): Note[] {
  const all: ((facts: AccessLogFacts) => Note | readonly Note[] | undefined)[] = [
    baseUrlUnset,
    ({ load }) => load.notes,
    ({ journeys }) => journeys?.notes,
    idSegments,
    queryDropped,
    ({ queries }) => queries?.secrets,
    ({ kept }) => secretPaths(kept),
    requestBodies,
    longTail,
    ({ limits }) => limits?.note,
    readingNotes,
  ];
  return all.flatMap((note) => note(facts) ?? []);
}

/** Facts about a log that do not depend on the plan. */
export type ReadingFacts = Pick<AccessLogFacts, "profile" | "filters" | "now">;

/** Notes on the log itself: its times, and what was left out while it was read. */
export function readingNotes(facts: ReadingFacts): Note[] {
  const { profile, now } = facts;
  const span = profile.span();
  return [
    span && gaps(profile, span),
    oddTimes(profile, now),
    ...filtered(facts),
    withoutZone(facts),
    malformed(facts),
  ].filter((note) => note !== undefined);
}

/** Share of the log's requests that the kept endpoints have, from 0 to 1. */
export function coverage(profile: TrafficProfile, kept: readonly EndpointCount[]): number {
  return kept.reduce((sum, { count }) => sum + count, 0) / profile.requests;
}

function baseUrlUnset({ baseUrl }: AccessLogFacts): Note | undefined {
  if (baseUrl !== undefined) return undefined;
  return {
    code: "base-url",
    subject: "defaults.http.base_url",
    message: "logs record neither scheme nor host, so base_url is not set; " +
      "set defaults.http.base_url, or give --base-url URL",
  };
}

function idSegments({ profile, ids }: AccessLogFacts): Note | undefined {
  if (ids !== undefined && !ids.isPartial) return ids.note;
  if (profile.withId === 0) return undefined;
  return {
    code: "id-segments",
    subject: "variables.id",
    message: `id-like path segments of ${plural(profile.withId, "request")} were replaced with ` +
      "${vars.id}; replace the placeholder id with a data: feeder of real identifiers",
  };
}

function queryDropped({ profile, queries }: AccessLogFacts): Note | undefined {
  if (queries !== undefined) return queries.note;
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
    message: `logs do not record bodies, so ${plural(endpoints.length, "endpoint")} of the plan ` +
      "would send none; add a realistic body: to the POST, PUT and PATCH requests",
  };
}

function longTail({ profile, kept, speed, isRateKept }: AccessLogFacts): Note | undefined {
  if (kept.length === profile.endpoints) return undefined;
  const share = coverage(profile, kept);
  const more = "--top N keeps more, --top all keeps the mix";
  const factor = speed / share;
  const digits = factor < 1.1 ? 4 : 2;
  return {
    level: isRateKept ? "note" : "warning",
    code: "long-tail",
    subject: "endpoints",
    message:
      `only the top ${formatThousands(kept.length)} of ${plural(profile.endpoints, "endpoint")} ` +
      `are kept: they are ${percentText(share, 1)} of the requests` +
      (isRateKept
        ? `, and the rate is scaled to that (${more})`
        : `, but the plan sends them at ${times(speed)}the full rate, ` +
          `${Number(factor.toPrecision(digits))} times their recorded load ` +
          `(${more}, --rate kept keeps the recorded load)`),
  };
}

function filtered({ profile, filters }: ReadingFacts): Note[] {
  const read = filters.reduce((sum, { dropped }) => sum + dropped, profile.requests);
  return filters.map(({ option, dropped }) => ({
    level: "note",
    code: "filtered",
    subject: option,
    message: `left out ${plural(dropped, "request")}, ${
      percentText(dropped, read)
    } of those in the log`,
  }));
}

function withoutZone({ profile }: ReadingFacts): Note | undefined {
  if (!profile.withoutZone) return undefined;
  return {
    code: "no-time-zone",
    subject: "timestamps",
    message:
      "the log's timestamps name no time zone and were read as UTC; if the server's clock is " +
      "not in UTC, give `--since` and `--until` in its local time with `Z`",
  };
}

function malformed({ profile }: ReadingFacts): Note | undefined {
  if (profile.malformed === 0) return undefined;
  const lines = profile.malformedSamples().map(({ reason, place }) =>
    `${reason} ${formatThousands(profile.malformedByReason[reason])}, first ` +
    `${place.source}:${place.line}: ${sampleText(place.snippet)}`
  );
  return {
    code: "malformed-lines",
    subject: "malformed lines",
    message: `skipped ${plural(profile.malformed, "line")} that could not be parsed ` +
      `(${lines.join("; ")})`,
  };
}

const SAMPLE_CHARACTERS = 80;

/** The beginning of a recorded line, as JSON text: it is recorded, and may hold anything. */
function sampleText(line = ""): string {
  const start = [...line].slice(0, SAMPLE_CHARACTERS).join("");
  return JSON.stringify(start === line ? line : `${start}…`);
}

/** The note on an input that is the same file as `first`, which was named before it. */
export function repeatedInput(name: string, first: string): Note {
  return {
    code: "same-file",
    subject: name,
    message: name === first
      ? "the file was given twice and is read once"
      : `it is the same file as ${first}, and is read once`,
  };
}
