import { formatThousands, percentText, plural } from "../../base/format.ts";
import { variablesIn } from "../../plan/text/template.ts";
import type { TrafficSample } from "../../traffic/accesslog/collect/traffic_sample.ts";
import type { EndpointCount } from "../../traffic/accesslog/profile/endpoint_table.ts";
import type { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import type { MergedRoutes } from "../../traffic/accesslog/routes/merge_routes.ts";
import { type Note, type NoteCode, times } from "../notes/notes.ts";
import type { IdFeeder, KeptQueries } from "./ids.ts";
import type { Load } from "./rate/reproduce_rate.ts";
import { type ReadingFacts, readingNotes } from "./reading_notes.ts";
import type { RecordedVisits } from "./recorded_visits.ts";
import { type Redaction, secretPaths } from "./redaction.ts";
import type { ObservedLimits } from "./responses.ts";

export interface AccessLogFacts extends ReadingFacts {
  readonly load: Load;
  readonly limits: ObservedLimits | undefined;
  readonly visits: RecordedVisits | undefined;
  readonly ids: IdFeeder | undefined;
  readonly queries: KeptQueries | undefined;
  readonly routes: MergedRoutes;
  readonly redaction: Redaction | undefined;
  readonly sample: TrafficSample | undefined;
  readonly kept: readonly EndpointCount[];
  readonly baseUrl: string | undefined;
  readonly speed: number;
  readonly isRateKept: boolean;
  readonly revalidates: boolean;
}

const WITH_BODY = ["POST", "PUT", "PATCH"];

/** Returns what a plan approximates or omits, most important first. */
export function accessLogNotes(facts: AccessLogFacts): Note[] {
  const notesOn: ((facts: AccessLogFacts) => Note | readonly Note[] | undefined)[] = [
    baseUrlUnset,
    severalHosts,
    ({ load }) => load.notes,
    ({ visits }) => visits?.notes,
    hostAsClient,
    idSegments,
    mergedRoutes,
    queryDropped,
    ({ ids, queries, visits }) =>
      visits === undefined ? [...ids?.secrets ?? [], ...queries?.secrets ?? []] : undefined,
    ({ kept }) => secretPaths(kept),
    ({ redaction }) => redaction?.note(),
    requestBodies,
    notModified,
    longTail,
    ({ limits }) => limits?.note,
    readingNotes,
  ];
  return notesOn.flatMap((note) => note(facts) ?? []);
}

/** They refer to lines or the sample of the log, which a traffic profile does not have. */
const PRINT_ONLY: ReadonlySet<NoteCode> = new Set<NoteCode>([
  ...["several-hosts", "host-as-client", "not-modified", "malformed-lines"] as const,
]);

/** Formats the notes that belong in the comment at the top of the plan, one line per note. */
export function noteComments(notes: readonly Note[]): string[] {
  return notes.filter(({ code }) => !PRINT_ONLY.has(code))
    .map(({ subject, message }) => `- ${subject}: ${message}`);
}

export function headerComments(
  { profile, load, limits, visits }: AccessLogFacts,
  notes: readonly Note[],
): string[] {
  return [
    `Created by rehearse convert from an access log of ${plural(profile.requests, "request")}.`,
    "",
    visits
      ? `It replays recorded visits, which start ${load.words}.`
      : `It sends the log's requests in the recorded mix, ${load.words}.`,
    "Use it to test how a server performs under recorded traffic.",
    "",
    "Approximations, and what to set before you put load on a server:",
    ...noteComments(notes),
    `- ${limits ? "checks" : "checks, thresholds"}: define when a run passes`,
  ];
}

/** Fraction of the log's requests to the kept endpoints. */
export function coverage(profile: TrafficProfile, kept: readonly EndpointCount[]): number {
  return kept.reduce((sum, { count }) => sum + count, 0) / profile.requests;
}

function baseUrlUnset({ baseUrl }: AccessLogFacts): Note | undefined {
  if (baseUrl !== undefined) return undefined;
  return {
    code: "base-url",
    subject: "defaults.http.base_url",
    message: "the plan has no base URL, because the target is never taken from a log; set " +
      "`defaults.http.base_url`, or give `--base-url URL`",
  };
}

const LISTED_HOSTS = 5;
/** Rarer hosts are ignored, because scanners send arbitrary host names. */
const LEAST_HOST_SHARE = 0.01;

function severalHosts({ sample }: AccessLogFacts): Note | undefined {
  if (sample === undefined) return undefined;
  const { requests, hosts, isWhole } = sample;
  const found = hosts.filter(([, count]) => count >= LEAST_HOST_SHARE * requests);
  if (found.length < 2) return undefined;
  const shown = found.slice(0, LISTED_HOSTS).map(([host, count]) =>
    `${host} (${percentText(count / requests, 1)})`
  );
  const others = found.length - shown.length;
  return {
    code: "several-hosts",
    subject: "hosts",
    message: `the log contains requests to ${plural(found.length, "host")}: ${shown.join(", ")}` +
      (others > 0 ? `, and ${others} more` : "") +
      (isWhole ? "" : `, in a sample of ${plural(requests, "request")}`) +
      "; the plan sends all of them to one base URL, and treats the same path on several hosts as one endpoint: " +
      `\`--host ${found[0][0]}\` keeps the requests to one host`,
  };
}

/** Above this share of lines with an address as second word, another format is probable. */
const MISPLACED_SHARE = 0.5;

function hostAsClient({ visits, sample }: AccessLogFacts): Note | undefined {
  const isRight = visits === undefined || sample === undefined ||
    sample.misplaced <= MISPLACED_SHARE * sample.requests;
  if (isRight) return undefined;
  return {
    code: "host-as-client",
    subject: "--journeys",
    message:
      `the first word of a line, such as ${sample.busiest?.client}, was read as the client, but ` +
      "the second word is an address: if the lines start with the host, give " +
      "`--log-format vhost_combined`, or describe them with `--log-format`",
  };
}

function idSegments({ kept, ids, visits }: AccessLogFacts): Note | undefined {
  if (visits !== undefined) return undefined;
  if (ids !== undefined && !ids.isPartial) return ids.note;
  const requests = kept.filter(({ route }) => variablesIn(route).includes("id"))
    .reduce((sum, { count }) => sum + count, 0);
  if (requests === 0) return undefined;
  return {
    code: "id-segments",
    subject: "variables.id",
    message: `id-like path segments of ${plural(requests, "request")} were replaced with ` +
      "`${vars.id}`; read real ids from a `data` source instead, for example with `--ids FILE`",
  };
}

const SAMPLES = 3;

function mergedRoutes({ routes, kept, ids, visits, redaction }: AccessLogFacts): Note[] {
  const given = kept.flatMap((endpoint): [path: string, values: number, samples: string[]][] => {
    const parts = routes.partsOf(endpoint);
    const isGiven = parts.some(({ route }) => route !== endpoint.route) &&
      !routes.found.some(({ path }) =>
        endpoint.route.startsWith(path.replace(/:(\w+)/g, "${vars.$1}"))
      );
    return isGiven
      ? [[endpoint.route, parts.length, parts.slice(0, SAMPLES).map(({ route }) => route)]]
      : [];
  });
  const found = routes.found.map(({ path, values, samples }) => [path, values, samples] as const);
  return [
    ...[...given, ...found].map(([path, values, samples]): Note => ({
      code: "routes-merged",
      subject: path,
      message:
        `${plural(values, "path")} were merged, such as ${
          samples.map((path) => `\`${redaction?.path(path) ?? path}\``).join(", ")
        }` + (ids === undefined && visits === undefined
          ? "; `--ids FILE` makes the plan send the recorded values"
          : ""),
    })),
    ...routes.unmatched.filter(({ isGiven }) => isGiven).map(({ text }): Note => ({
      code: "route-unmatched",
      subject: text,
      message: "no path in the log matches this `--route` pattern",
    })),
  ];
}

function queryDropped(
  { profile, kept, ids, queries, visits }: AccessLogFacts,
): Note | undefined {
  if (visits !== undefined) return undefined;
  const isFed = ids !== undefined && kept.some(ids.hasQueries);
  if (isFed && Object.keys(queries?.data ?? {}).length === 0) return undefined;
  if (queries !== undefined) return queries.note;
  if (profile.withQuery === 0) return undefined;
  return {
    code: "query-dropped",
    subject: "query strings",
    message: `the query strings of ${plural(profile.withQuery, "request")} were dropped; ` +
      "add the parameters that matter with `params`",
  };
}

function requestBodies({ kept }: AccessLogFacts): Note | undefined {
  const endpoints = kept.filter(({ method }) => WITH_BODY.includes(method));
  if (endpoints.length === 0) return undefined;
  return {
    code: "request-bodies",
    subject: "request bodies",
    message: "access logs contain no request bodies; " +
      `add a realistic \`body\` to the POST, PUT and PATCH requests of ${
        plural(endpoints.length, "endpoint")
      }`,
  };
}

const LEAST_NOT_MODIFIED = 0.01;

function notModified({ sample, revalidates }: AccessLogFacts): Note | undefined {
  if (sample === undefined || sample.notModified < LEAST_NOT_MODIFIED * sample.requests) return;
  return {
    code: "not-modified",
    subject: "responses",
    message:
      `${sample.isWhole ? "" : "about "}${percentText(sample.notModified, sample.requests)} ` +
      "of the responses had the status 304; " +
      (revalidates
        ? "the plan sends that share of each endpoint with the ETag or Last-Modified that it received"
        : "the plan sends no conditional requests, so the target sends these responses in full " +
          "(`--revalidate` sends that share)"),
  };
}

function longTail(
  { profile, kept, speed, isRateKept, visits }: AccessLogFacts,
): Note | undefined {
  if (kept.length === profile.endpoints) return undefined;
  const share = coverage(profile, kept);
  const more = "`--top N` keeps N endpoints, `--top all` keeps all";
  const factor = speed / share;
  const digits = factor < 1.1 ? 4 : 2;
  return {
    level: isRateKept && visits === undefined ? "info" : "warning",
    code: "long-tail",
    subject: "endpoints",
    message: `the plan keeps only the top ${formatThousands(kept.length)} of ` +
      `${plural(profile.endpoints, "endpoint")}, which received ${percentText(share, 1)} of the ` +
      "requests" +
      (visits !== undefined
        ? `; the visits omit the other requests (${more})`
        : isRateKept
        ? `, and scales the rate to that share (${more})`
        : `, but sends them at ${times(speed)}the log's full rate, which is ` +
          `${Number(factor.toPrecision(digits))} times their recorded rate ` +
          `(${more}, and \`--rate kept\` keeps the recorded rate)`),
  };
}
