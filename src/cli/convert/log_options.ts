import { didYouMean } from "../../base/nearest.ts";
import { parseHost } from "../../traffic/accesslog/collect/request_url.ts";
import { parseTimeZone } from "../../traffic/accesslog/read/time_layout.ts";
import {
  parseRoutePattern,
  type RoutePattern,
} from "../../traffic/accesslog/routes/merge_routes.ts";
import {
  choice,
  duration,
  fileToRead,
  fileToWrite,
  grouped,
  httpUrl,
  list,
  parsed,
  positiveNumber,
  repeated,
  text,
  toggle,
  wholeNumber,
} from "../command/options.ts";
import { FORMAT_OPTIONS } from "../input/read_log.ts";
import { shardOption } from "../run/shard_index.ts";

const READING = grouped({ group: "Access logs" }, {
  ...FORMAT_OPTIONS,
  timeZone: parsed(
    {
      value: "ZONE",
      otherwise: "UTC",
      help: "Time zone of timestamps without a zone, also in --since and --until: a name such as " +
        "Europe/Berlin, or an offset such as +02:00",
    },
    (text) => {
      const hint = didYouMean(text, Intl.supportedValuesOf("timeZone"));
      return `a name such as Europe/Berlin or an offset such as +02:00${hint && `; ${hint}`}`;
    },
    parseTimeZone,
  ),
  baseUrl: httpUrl({
    help: "Send the plan's requests to URL, such as https://staging.example.com",
  }),
  top: parsed(
    {
      value: "N",
      suggests: ["all"],
      default: "20",
      help: "Keep the N most frequent endpoints; `all` keeps every endpoint",
    },
    "a whole number of at least 1, or all",
    (text) => text === "all" ? Infinity : /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined,
  ),
  profile: fileToWrite({
    help: "Also write a traffic profile to FILE: the log data that a plan needs. convert can " +
      "read and merge profiles. FILE may be in S3 (s3://BUCKET/KEY)",
  }),
  shard: {
    ...shardOption(
      "Read only the I-th of N equal parts of the inputs, and write only the profile; `auto` " +
        "reads the index that a scheduler (Kubernetes, Slurm, Nomad, AWS Batch) passes",
    ),
    with: "profile",
    conflicts: Object.fromEntries(
      ["output", "html", "busiest"].map((name) => [
        name,
        "a shard writes only the profile of its inputs; `rehearse convert` makes the plan from the " +
        "profiles later",
      ]),
    ),
  },
  shards: wholeNumber({
    with: "shard",
    help: "With `--shard auto`: number of shards, if the scheduler does not pass it",
  }, 1),
});

const SHAPE = grouped({ group: "Access logs: shape of the load" }, {
  shape: choice(["curve", "exact"], {
    value: "SHAPE",
    bare: "curve",
    help:
      "Follow the log's rate over time instead of its average: `curve` (also without a value) in " +
      "stages, `exact` second by second, from the file PLAN.arrivals that it also writes",
  }),
  stages: parsed(
    {
      value: "N",
      suggests: ["auto"],
      default: "30",
      with: "shape=curve",
      help: "Use at most N stages with --shape; `auto` uses as many as the log needs",
    },
    "a whole number of at least 1, or auto",
    (text) => text === "auto" ? text : /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined,
  ),
  speed: positiveNumber({
    value: "FACTOR",
    help: "Multiply the rate by FACTOR; the duration does not change",
  }),
  squeeze: positiveNumber(
    {
      value: "FACTOR",
      help: "Divide all times by FACTOR, at least 1: the same requests in less time",
    },
    "a number of at least 1",
    1,
  ),
  duration: duration({
    help: "Run for DURATION instead of the time span of the log, at the same rates",
  }),
  rate: choice(["kept"], {
    value: "kept",
    bare: "kept",
    instead:
      "to change the rate, use `--speed FACTOR`, or `--rate N` or `--rate-scale FACTOR` of " +
      "`rehearse run`",
    help: "Reduce the total rate so that each endpoint that --top keeps has its recorded rate",
  }),
});

const DATA = { group: "Access logs: more data for the plan" };

const MORE = grouped(DATA, {
  ids: fileToWrite({
    help:
      "Also write the ids found in paths, with their counts, to FILE, a CSV file that the plan reads",
  }),
  query: choice(["keep"], {
    value: "keep",
    bare: "keep",
    help: "Keep each endpoint's query strings, weighted by their frequency in the log",
  }),
  redact: toggle({
    elsewhere: "`--secrets` replaces the credentials in a HAR",
    help:
      "Replace credentials and e-mail addresses in paths, ids and query strings with placeholders",
  }),
  journeys: toggle({
    help:
      "Replay recorded visits, with their URLs and pauses, instead of single requests, from the " +
      "file PLAN.visits that it also writes",
  }),
  visitsSize: positiveNumber(
    {
      value: "MB",
      default: "8",
      help:
        "Maximum size of PLAN.visits in MB; if it would be larger, it has a sample of the visits",
    },
    "a number above 0 and of at most 60 MB, because a fleet sends the file to each machine",
    0,
    60,
  ),
  login: fileToRead({
    with: ["journeys", "faithful"],
    help: "With --journeys: replay the login in this HAR before each visit that got pages that " +
      "only logged-in users get",
  }),
  revalidate: toggle({
    help: "Send the log's share of 304 responses as conditional requests, with the ETag or " +
      "Last-Modified that the run received",
  }),
  faithful: toggle({
    help: "Replay the log: the same as --journeys --shape exact --top all",
  }),
  thresholds: toggle({
    help: "Set thresholds and max_vus from the response times in the log",
  }),
});

const FILTERS = grouped({ group: "Access logs: filters" }, {
  since: text({
    value: "TIME",
    help: "Keep requests at or after TIME, such as 2026-11-21T10:00:00Z",
  }),
  until: text({ value: "TIME", help: "Keep requests before TIME" }),
  busiest: duration({ help: "Keep only the busiest period of length DURATION, such as 1h" }),
  method: list(
    { value: "NAME,...", help: "Keep only requests with these methods" },
    "a method",
    (text) => text.toUpperCase(),
  ),
  status: list(
    {
      value: "CODE,...",
      help: "Keep only requests with these response statuses or classes, such as 2xx,404",
    },
    "statuses or status classes, such as 2xx,3xx,404",
    (text) => /^[1-5](?:\d\d|xx)$/i.test(text) ? text.toLowerCase() : undefined,
  ),
  excludeClient: list({
    value: "ADDRESS,...",
    help: "Drop the requests of these clients, such as a monitoring service",
  }),
  host: list(
    { value: "NAME,...", help: "Keep only requests to these hosts, if the log contains hosts" },
    "a host name, such as shop.example",
    (text) => parseHost(new TextEncoder().encode(text)),
  ),
  noStatic: toggle({
    help: "Drop requests for images, scripts, style sheets and other static files",
  }),
  noBots: toggle({
    help:
      "Drop requests from crawlers, health checks, load tools, scanners and HTTP libraries, and " +
      "requests without a user agent",
  }),
});

const ROUTES = grouped({ group: "Access logs: routes" }, {
  route: repeated(
    {
      value: "PATTERN",
      suggests: ["auto"],
      help:
        "Merge the paths that match PATTERN, such as /blog/:slug; `auto` finds path parameters " +
        "by how many different values they have",
    },
    "a path with a parameter, such as /blog/:slug, or auto",
    (text): RoutePattern | "auto" | undefined => text === "auto" ? text : parseRoutePattern(text),
  ),
  openapi: fileToRead({
    help: "Merge paths that match the same path in this OpenAPI document (YAML or JSON)",
  }),
});

export const LOG_OPTIONS = {
  ...READING,
  ...SHAPE,
  ...MORE,
  har: fileToRead({
    ...DATA,
    conflicts: Object.fromEntries(
      [
        ...["faithful", "top", "rate", "ids", "query", "redact", "journeys", "thresholds", "login"],
        "revalidate",
      ].map((name) => [name, "the requests come from the HAR"]),
    ),
    help: "Replay the session in this HAR as often as its first request occurs in the log; the " +
      "options for HARs also apply",
  }),
  ...FILTERS,
  ...ROUTES,
};
