import { basename, dirname, relative } from "@std/path";
import { DURATION_SHAPES, durationMs } from "../../base/format.ts";
import { UsageError } from "../../base/errors.ts";
import { withoutLogin } from "../../plan/text/user_info.ts";
import type { LogLoadOptions } from "../../convert/accesslog/rate/build_load.ts";
import type { AccessLogOptions } from "../../convert/from_accesslog.ts";
import { collectIds, collectQueries } from "../../traffic/accesslog/collect/collect_values.ts";
import type { EndpointValues } from "../../traffic/accesslog/collect/endpoint_values.ts";
import { buildFilters } from "../../traffic/accesslog/collect/filters.ts";
import { Statuses, Timings } from "../../traffic/accesslog/collect/small_collectors.ts";
import { Visits } from "../../traffic/accesslog/collect/visits/visits.ts";
import type { TimeWindow } from "../../traffic/accesslog/profile/busiest_window.ts";
import { FORMAT_NAMES } from "../../traffic/accesslog/formats/formats.ts";
import { parsePositiveNumber, parseWholeNumber } from "../command/args.ts";
import type { Args, Flag } from "../command/command.ts";
import type { Reading } from "../input/read_log.ts";
import { filterOptions } from "./filter_options.ts";
import { parseLineOptions } from "./line_options.ts";
import { routeOptions } from "./route_options.ts";

/** Default of `--top`, the number of endpoints to keep. */
const TOP_ENDPOINTS = 20;
/** Default of `--stages`, the maximum number of stages. */
const CURVE_STAGES = 30;

const LOGS = "Access logs";
const SHAPE = "Access logs: shape of the load";
const MORE = "Access logs: more data for the plan";

/** Options of `convert` that apply only to access logs. `FILTER_FLAGS` contains the filters. */
export const LOG_FLAGS: readonly Flag[] = [
  {
    name: "log-format",
    value: "FORMAT",
    suggests: FORMAT_NAMES,
    group: LOGS,
    help: "Format of the log lines: an nginx log_format string, an Apache LogFormat string, or " +
      FORMAT_NAMES.join(", "),
    default: "detected",
  },
  {
    name: "json",
    value: "FIELDS",
    group: LOGS,
    help: "Fields of JSON log lines, such as time=ts,method=req.method,url=req.url,status=res.code",
  },
  {
    name: "client",
    value: "FIELD",
    group: LOGS,
    help:
      "Field that identifies the client, for --journeys: a variable of --log-format, a field of " +
      "JSON log lines, a name in name=value pairs, or a column",
  },
  {
    name: "time-zone",
    value: "ZONE",
    group: LOGS,
    default: "UTC",
    help: "Time zone of timestamps without a zone, also in --since and --until: a name such as " +
      "Europe/Berlin, or an offset such as +02:00",
  },
  {
    name: "base-url",
    value: "URL",
    group: LOGS,
    help: "Send the plan's requests to URL, such as https://staging.example.com",
  },
  {
    name: "top",
    value: "N",
    suggests: ["all"],
    group: LOGS,
    default: "20",
    help: "Keep the N most frequent endpoints; `all` keeps every endpoint",
  },
  {
    name: "profile",
    file: "write",
    group: LOGS,
    help: "Also write a traffic profile to FILE: the log data that a plan needs. convert can " +
      "read and merge profiles. FILE may be in S3 (s3://BUCKET/KEY)",
  },
  {
    name: "shard",
    value: "I/N",
    suggests: ["auto"],
    group: LOGS,
    help: "Read only the I-th of N equal parts of the inputs, and write only the profile; `auto` " +
      "reads the index that a scheduler (Kubernetes, Slurm, Nomad, AWS Batch) passes",
  },
  {
    name: "shards",
    value: "N",
    group: LOGS,
    help: "With `--shard auto`: number of shards, if the scheduler does not pass it",
  },
  {
    name: "shape",
    value: "SHAPE",
    bare: "curve",
    choices: ["curve", "exact"],
    group: SHAPE,
    help:
      "Follow the log's rate over time instead of its average: `curve` (also without a value) in " +
      "stages, `exact` second by second, from the file PLAN.arrivals that it also writes",
  },
  {
    name: "stages",
    value: "N",
    suggests: ["auto"],
    group: SHAPE,
    default: "30",
    help: "Use at most N stages with --shape; `auto` uses as many as the log needs",
  },
  {
    name: "speed",
    value: "FACTOR",
    group: SHAPE,
    help: "Multiply the rate by FACTOR; the duration does not change",
  },
  {
    name: "squeeze",
    value: "FACTOR",
    group: SHAPE,
    help: "Divide all times by FACTOR, at least 1: the same requests in less time",
  },
  {
    name: "duration",
    value: "DURATION",
    group: SHAPE,
    help: "Run for DURATION instead of the time span of the log, at the same rates",
  },
  {
    name: "rate",
    value: "kept",
    bare: "kept",
    choices: ["kept"],
    instead:
      "to change the rate, use `--speed FACTOR`, or `--rate N` or `--rate-scale FACTOR` of " +
      "`rehearse run`",
    group: SHAPE,
    help: "Reduce the total rate so that each endpoint that --top keeps has its recorded rate",
  },
  {
    name: "ids",
    file: "write",
    group: MORE,
    help:
      "Also write the ids found in paths, with their counts, to FILE, a CSV file that the plan reads",
  },
  {
    name: "query",
    value: "keep",
    bare: "keep",
    choices: ["keep"],
    group: MORE,
    help: "Keep each endpoint's query strings, weighted by their frequency in the log",
  },
  {
    name: "redact",
    group: MORE,
    help:
      "Replace credentials and e-mail addresses in paths, ids and query strings with placeholders",
  },
  {
    name: "journeys",
    group: MORE,
    help:
      "Replay recorded visits, with their URLs and pauses, instead of single requests, from the " +
      "file PLAN.visits that it also writes",
  },
  {
    name: "visits-size",
    value: "MB",
    group: MORE,
    default: "8",
    help: "Maximum size of PLAN.visits in MB; if it would be larger, it has a sample of the visits",
  },
  {
    name: "login",
    file: "read",
    group: MORE,
    help: "With --journeys: replay the login in this HAR before each visit that got pages that " +
      "only logged-in users get",
  },
  {
    name: "revalidate",
    group: MORE,
    help: "Send the log's share of 304 responses as conditional requests, with the ETag or " +
      "Last-Modified that the run received",
  },
  {
    name: "faithful",
    group: MORE,
    help: "Replay the log: the same as --journeys --shape exact --top all",
  },
  {
    name: "thresholds",
    group: MORE,
    help: "Set thresholds and max_vus from the response times in the log",
  },
  {
    name: "har",
    file: "read",
    group: MORE,
    help: "Replay the session in this HAR as often as its first request occurs in the log; the " +
      "options for HARs also apply",
  },
];

/**
 * Settings for reading a log, and the collectors of additional data. A collector is absent unless
 * an option requires it.
 */
export interface Observation extends Reading {
  readonly timings?: Timings;
  readonly ids?: { readonly seen: EndpointValues; readonly path: string };
  readonly queries?: EndpointValues;
  readonly visits?: AccessLogOptions["visits"];
  readonly responses?: AccessLogOptions["responses"];
}

/** Parsed options for access logs. */
export interface LogOptions {
  readonly plan: AccessLogOptions;
  readonly observation: Observation;
}

/**
 * Parses the options for access logs. `busiest` is the part of the log that `--busiest` keeps.
 * Throws UsageError if an option is invalid.
 */
export async function logOptions(args: Args, busiest?: TimeWindow): Promise<LogOptions> {
  const plan = {
    baseUrl: baseUrl(args.text("base-url")),
    top: top(args.text("top")),
    load: loadOptions(args),
    redacts: args.has("redact"),
  };
  return {
    plan: { ...plan, routes: await routeOptions(args) },
    observation: parseObservation(args, busiest),
  };
}

/** Options that `--faithful` sets unless they are given. */
const FAITHFUL: Readonly<Record<string, string>> = { journeys: "", shape: "exact", top: "all" };

/** Returns the arguments with the options that `--faithful` implies. */
export function withFaithful(args: Args): Args {
  if (!args.has("faithful")) return args;
  return {
    ...args,
    has: (name) => name in FAITHFUL || args.has(name),
    text: (name) => args.text(name) ?? FAITHFUL[name],
  };
}

function loadOptions(args: Args): LogLoadOptions {
  const isCurve = args.text("shape") === "curve";
  if (args.has("stages") && !isCurve) {
    throw new UsageError("--stages works only with --shape curve: add `--shape curve`");
  }
  const arrivals = besidePlan(args, "arrivals");
  if (arrivals !== undefined && args.has("duration")) {
    throw new UsageError(
      "--duration cannot be combined with --shape exact: stop early with `rehearse run --duration`, " +
        "or send the same requests in less time with `--squeeze FACTOR`",
    );
  }
  return {
    ...(isCurve && { stages: stages(args) }),
    ...(arrivals !== undefined && { arrivals: basename(arrivals) }),
    speed: parsePositiveNumber(args, "speed"),
    squeeze: squeeze(args),
    seconds: seconds(args.text("duration")),
    ...(args.has("rate") && { rate: "kept" }),
  };
}

function squeeze(args: Args): number | undefined {
  const factor = parsePositiveNumber(args, "squeeze");
  if (factor === undefined || factor >= 1) return factor;
  throw new UsageError(`--squeeze cannot be ${factor}: expected a number of at least 1`);
}

/** Files that a plan reads and that are next to it. */
export const BESIDE_PLAN = ["arrivals", "visits"] as const;

/**
 * Returns the path of a file that the plan reads, next to the plan: the plan's path with a suffix.
 * Returns undefined if no option needs the file, or no plan is written. Throws UsageError if the
 * plan goes to standard output.
 */
export function besidePlan(args: Args, suffix: typeof BESIDE_PLAN[number]): string | undefined {
  const isExact = args.text("shape") === "exact";
  const isNeeded = suffix === "arrivals" ? isExact : args.has("journeys");
  if (!isNeeded || args.has("shard")) return undefined;
  const plan = args.text("output") ?? args.text("update");
  if (plan !== undefined && plan !== "-") return `${plan}.${suffix}`;
  throw new UsageError(
    `${
      suffix === "arrivals" ? "--shape exact" : "--journeys"
    } also writes PLAN.${suffix}: give the path of the plan with \`-o PLAN\``,
  );
}

function stages(args: Args): number | "auto" {
  if (args.text("stages") === "auto") return "auto";
  return parseWholeNumber(args, "stages", 1) ?? CURVE_STAGES;
}

function seconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = durationMs(text);
  if (ms !== undefined && ms > 0) return ms / 1_000;
  throw new UsageError(`--duration cannot be ${text}: expected a duration, ${DURATION_SHAPES}`);
}

function baseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^https?:\/\/[^/?#\s]+/i.test(text) && URL.canParse(text)) return text;
  throw new UsageError(
    `--base-url cannot be ${withoutLogin(text)}: expected a URL with scheme and host, such as ` +
      "https://example.com",
  );
}

function top(text: string | undefined): number {
  if (text === undefined) return TOP_ENDPOINTS;
  if (text === "all") return Infinity;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--top cannot be ${text}: expected a whole number of at least 1, or all`);
}

/** Parses the options for reading a log. Throws UsageError if an option is invalid. */
function parseObservation(args: Args, busiest?: TimeWindow): Observation {
  const ids = args.text("ids");
  const learnt = {
    ...(args.has("thresholds") && { timings: new Timings() }),
    ...(ids !== undefined && { ids: { seen: collectIds(), path: fromPlan(args, ids) } }),
    ...(args.has("query") && { queries: collectQueries() }),
    ...(args.has("journeys") && {
      visits: {
        // A row of the file has at least about 32 bytes.
        seen: new Visits({ requests: Math.ceil(visitsBytes(args) / 32) }),
        path: basename(besidePlan(args, "visits") ?? ""),
        maxBytes: visitsBytes(args),
      },
    }),
    ...(!args.has("har") && (args.has("checks") || args.has("revalidate")) && {
      responses: {
        seen: new Statuses(),
        checks: args.has("checks"),
        revalidates: args.has("revalidate"),
      },
    }),
  };
  const collectors = [
    learnt.timings,
    learnt.ids?.seen,
    learnt.queries,
    learnt.visits?.seen,
    learnt.responses?.seen,
  ];
  const { client, formats, timeZone } = parseLineOptions(args);
  const selected = filterOptions(args, timeZone, busiest);
  return {
    filters: buildFilters(selected),
    filterOptions: selected,
    ...(timeZone !== undefined && { timeZone }),
    ...(client !== undefined && { client }),
    ...learnt,
    collectors: collectors.filter((collector) => collector !== undefined),
    ...(formats !== undefined && { formats }),
  };
}

/** Maximum of `--visits-size` in MB: the files of a plan have at most 64 MiB in a fleet. */
const MAX_VISITS_MB = 60;

function visitsBytes(args: Args): number {
  const megabytes = parsePositiveNumber(args, "visits-size") ?? 8;
  if (megabytes <= MAX_VISITS_MB) return megabytes * 1e6;
  throw new UsageError(
    `--visits-size cannot be ${megabytes}: the maximum is ${MAX_VISITS_MB} MB, because a fleet ` +
      "sends the file to each machine",
  );
}

/**
 * Returns `path` relative to the folder of the plan that `--output` or `--update` specifies, or
 * unchanged if the plan goes to standard output.
 */
function fromPlan(args: Args, path: string): string {
  const plan = args.text("output") ?? args.text("update");
  if (plan === undefined || plan === "-") return path;
  return relative(dirname(plan), path);
}
