import { basename, dirname, relative } from "@std/path";
import { InputError, UsageError } from "../../base/errors.ts";
import { parseYaml } from "../../base/yaml.ts";
import type { LogLoadOptions } from "../../convert/accesslog/rate/reproduce_rate.ts";
import type { AccessLogOptions } from "../../convert/from_accesslog.ts";
import { CHECK_LEVELS } from "../../convert/har/checks.ts";
import type { HarOptions } from "../../convert/har/facts.ts";
import { buildFilters, type FilterOptions } from "../../traffic/accesslog/collect/filters.ts";
import { Statuses, Timings } from "../../traffic/accesslog/collect/request_counts.ts";
import { collectIds, collectQueries } from "../../traffic/accesslog/collect/request_url.ts";
import { Visits } from "../../traffic/accesslog/collect/visits.ts";
import type { TimeWindow } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { createTimeReader, type TimeNotation } from "../../traffic/accesslog/read/notations.ts";
import {
  openApiPatterns,
  type RouteOptions,
  type RoutePattern,
} from "../../traffic/accesslog/routes/merge_routes.ts";
import {
  checkInput,
  choice,
  duration,
  fileToRead,
  fileToWrite,
  type Given,
  grouped,
  list,
  type Option,
  repeated,
  toggle,
  uploadFiles,
} from "../command/options.ts";
import { readDocument } from "../input/read_documents.ts";
import { lineOptions, type Reading } from "../input/read_log.ts";
import { LOG_OPTIONS } from "./log_options.ts";

function patterns(help: string): Option<readonly RegExp[]> {
  let reason = "";
  const compile = (text: string) => {
    try {
      return new RegExp(text, "u");
    } catch (error) {
      reason = (error as Error).message;
      return undefined;
    }
  };
  return repeated({ value: "REGEX", help }, () => `a regular expression (${reason})`, compile);
}

const SHARED_OPTIONS = {
  include: patterns("Keep only requests whose path (log) or URL (HAR) matches REGEX"),
  exclude: patterns("Drop requests whose path (log) or URL (HAR) matches REGEX"),
  checks: choice(CHECK_LEVELS, {
    value: "LEVEL",
    bare: "status",
    otherwise: "status",
    help:
      "Check that each response has the recorded status, or for a log its class; with `response` " +
      "(only HAR), also check the media type, redirect target, title, forms and JSON members",
  }),
};

const RECORDING = grouped({ group: "Browser recordings (HAR)", input: "a HAR file" }, {
  origin: list({ value: "HOST,...", help: "Keep only calls to these hosts" }),
  keepStatic: toggle({
    help: "Keep calls for images, style sheets, scripts, fonts and media",
  }),
  correlate: choice(["json", "all"], {
    value: "VALUES",
    otherwise: "all",
    help: "Correlate all values that the server generated, or only dynamic-looking ones in JSON",
  }),
  explain: toggle({
    help: "Explain each dynamic-looking value: its source, its uses and whether it is correlated",
  }),
  secrets: toggle({
    elsewhere: "`--redact` replaces the credentials in a log",
    help: "Replace recorded credentials with environment variables",
  }),
  thinkTime: choice(["recorded"], {
    value: "recorded",
    bare: "recorded",
    help: "Keep the recorded pauses between calls",
  }),
  maxThink: duration(
    { otherwise: "30s", help: "Shorten recorded pauses to at most DURATION" },
    0,
  ),
  group: choice(["page"], {
    value: "page",
    bare: "page",
    help: "Group the calls of each recorded page",
  }),
  parallel: toggle({
    help: "Send requests in parallel if they overlapped in the recording, as the browser did",
  }),
  file: uploadFiles({
    help: "Send the file at PATH in the upload field FIELD; may be repeated",
  }),
  again: fileToRead({
    conflicts: { har: "convert both recordings without the log" },
    help: "Repair the plan with FILE, a second recording of the same session",
  }),
});

export const CONVERT_OPTIONS = {
  output: fileToWrite({
    short: "o",
    help: "Write the plan to FILE (atomically) instead of standard output",
  }),
  update: fileToWrite({
    value: "PLAN",
    conflicts: { output: "PLAN is the plan to write" },
    help: "Merge the conversion into PLAN and keep your edits and comments; PLAN.base stores the " +
      "unedited conversion for the next update",
  }),
  base: fileToRead({
    with: "update",
    help: "With --update, the unedited plan from the previous conversion (default: PLAN.base)",
  }),
  from: choice(["accesslog", "har"], {
    value: "KIND",
    help: "Type of the input, if its name and content do not identify it",
  }),
  warnings: choice(["text", "json"], {
    default: "text",
    help: "Format of the warnings on standard error; json prints one object per line",
  }),
  html: fileToWrite({
    conflicts: { har: "the HTML page compares a log with the plan made from that log" },
    help:
      "Also write an HTML page to FILE. For a log: rates, endpoints and skipped lines. For a HAR: " +
      "calls, values with their sources and consumers, and edits to make",
  }),
  strict: toggle({
    help: "Exit with code 3 if a warning needs action; the plan is still written",
  }),
  ...SHARED_OPTIONS,
  ...grouped({ input: "an access log" }, LOG_OPTIONS),
  ...RECORDING,
};

export type ConvertGiven = Given<typeof CONVERT_OPTIONS>;

/** Returns the options with those that `--faithful` sets unless they are given. */
export function withFaithful(given: ConvertGiven): ConvertGiven {
  if (!given.faithful) return given;
  const top = given.args.has("top") ? given.top : Infinity;
  return { ...given, journeys: true, shape: given.shape ?? "exact", top };
}

/** Throws UsageError if one of the given options does not apply to inputs of this kind. */
export function refuseOthers(
  { har, checks, login, args }: ConvertGiven,
  kind: "accesslog" | "har",
): void {
  if (kind === "accesslog") {
    if (har !== undefined) return;
    if (checks === "response") {
      throw new UsageError("--checks=response works only for a HAR file: a log has only statuses");
    }
    if (login !== undefined) return;
  }
  checkInput(CONVERT_OPTIONS, args, kind === "har" ? "a HAR file" : "an access log");
}

/**
 * Returns the path of a file that the plan reads, next to the plan: the plan's path with a suffix.
 * Returns undefined if no option needs the file, or no plan is written. Throws UsageError if the
 * plan goes to standard output.
 */
export function besidePlan(
  { shape, journeys, shard, output, update }: ConvertGiven,
  suffix: "arrivals" | "visits",
): string | undefined {
  const isNeeded = suffix === "arrivals" ? shape === "exact" : journeys;
  if (!isNeeded || shard !== undefined) return undefined;
  const plan = output ?? update;
  if (plan !== undefined && plan !== "-") return `${plan}.${suffix}`;
  const option = suffix === "arrivals" ? "--shape exact" : "--journeys";
  throw new UsageError(
    `${option} also writes PLAN.${suffix}: give the path of the plan with \`-o PLAN\``,
  );
}

/** Returns the options for converting a HAR. */
export function harOptions(given: ConvertGiven): HarOptions {
  const { include, exclude, origin, keepStatic, secrets, checks, parallel, explain } = given;
  return {
    include,
    exclude,
    origins: origin.length > 0 ? origin : undefined,
    keepStatic,
    secrets,
    thinkTime: given.thinkTime !== undefined,
    maxThinkMs: given.maxThink,
    checks,
    groupByPage: given.group !== undefined,
    parallel,
    jsonOnly: given.correlate === "json",
    explain,
  };
}

/** How to read a log, and what the plan made from it contains. */
export interface LogSettings {
  readonly plan: AccessLogOptions;
  readonly reading: Reading;
}

/**
 * Returns the settings that the options for access logs define. `busiest` is the part of the log
 * that `--busiest` keeps. Throws UsageError if an option is invalid, and InputError if the OpenAPI
 * document is invalid.
 */
export async function logSettings(
  given: ConvertGiven,
  busiest?: TimeWindow,
): Promise<LogSettings> {
  const { baseUrl, top, timeZone, ids, visitsSize, har, checks, revalidate } = given;
  const hasResponses = har === undefined && (checks !== undefined || revalidate);
  const plan: AccessLogOptions = {
    baseUrl,
    top,
    timeZone,
    load: loadOptions(given),
    routes: await routeOptions(given),
    redacts: given.redact,
    timings: given.thresholds ? new Timings() : undefined,
    ids: ids === undefined ? undefined : { seen: collectIds(), path: fromPlan(given, ids) },
    queries: given.query && collectQueries(),
    visits: !given.journeys ? undefined : {
      // A row of the file has at least about 32 bytes.
      seen: new Visits({ requests: Math.max(250_000, visitsSize * 1e6 / 32) }),
      path: basename(besidePlan(given, "visits") ?? ""),
      maxBytes: visitsSize * 1e6,
    },
    responses: !hasResponses ? undefined : {
      seen: new Statuses(),
      checks: checks !== undefined,
      revalidates: revalidate,
    },
  };
  const { timings, queries, visits, responses } = plan;
  const collectors = [timings, plan.ids?.seen, queries, visits?.seen, responses?.seen];
  const selected = filterOptions(given, busiest);
  const reading = {
    filters: buildFilters(selected),
    filterOptions: selected,
    ...lineOptions(given),
    timeZone,
    collectors: collectors.filter((collector) => collector !== undefined),
  };
  return { plan, reading };
}

function loadOptions(given: ConvertGiven): LogLoadOptions {
  const { shape, stages, speed, squeeze, duration, rate } = given;
  const arrivals = besidePlan(given, "arrivals");
  // Not in the option table, because `--faithful` also sets `--shape exact`.
  if (arrivals !== undefined && duration !== undefined) {
    throw new UsageError(
      "--duration cannot be combined with --shape exact: stop early with `rehearse run --duration`, " +
        "or send the same requests in less time with `--squeeze FACTOR`",
    );
  }
  return {
    stages: shape === "curve" ? stages : undefined,
    arrivals: arrivals && basename(arrivals),
    speed,
    squeeze,
    seconds: duration && duration / 1_000,
    rate,
  };
}

/** Returns `path` relative to the folder of the plan, or unchanged without such a folder. */
function fromPlan({ output, update }: ConvertGiven, path: string): string {
  const plan = output ?? update;
  if (plan === undefined || plan === "-") return path;
  return relative(dirname(plan), path);
}

function filterOptions(given: ConvertGiven, busiest?: TimeWindow): FilterOptions {
  const [since, until] = [timeOption(given, "since"), timeOption(given, "until")];
  if (since !== undefined && until !== undefined && since >= until) {
    throw new UsageError(`--since ${given.since} must be before --until ${given.until}`);
  }
  return {
    since,
    until,
    busiest,
    include: given.include,
    exclude: given.exclude,
    methods: given.method,
    excludedClients: given.excludeClient,
    hosts: given.host,
    statuses: given.status,
    noStatic: given.noStatic,
    noBots: given.noBots,
  };
}

const CLF = /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}$/;
const ISO = /^(\d{4}-\d\d-\d\d)(?:([T ]\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Parses an option that is a time in ISO 8601 or in the format of access logs. Returns Unix
 * milliseconds. A time without a zone is in the zone of `--time-zone`, by default UTC.
 */
function timeOption(given: ConvertGiven, name: "since" | "until"): number | undefined {
  const { [name]: text, timeZone } = given;
  if (text === undefined) return undefined;
  const [, date, clock = "T00:00", seconds = ":00", zone = ""] = ISO.exec(text) ?? [];
  const ms = CLF.test(text)
    ? readTime("clf", text, timeZone)
    : date === undefined
    ? undefined
    : readTime("iso", date + clock + seconds + zone, timeZone);
  if (ms !== undefined) return ms;
  throw new UsageError(
    `--${name} cannot be ${text}: expected a time, such as 2026-11-21, 2026-11-21T10:00:00Z, or a ` +
      "log's 21/Nov/2026:10:00:00 +0000 (without a zone: in the zone of --time-zone, by default UTC)",
  );
}

function readTime(
  notation: TimeNotation,
  text: string,
  timeZone: string | undefined,
): number | undefined {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer);
  const reader = createTimeReader({ time: notation, timeZone });
  const ms = reader.read(view, bytes, 0, bytes.length, -1);
  return ms < 0 ? undefined : ms;
}

/** Returns how to merge paths. Undefined if no option is set. */
async function routeOptions(
  { route, openapi }: ConvertGiven,
): Promise<RouteOptions | undefined> {
  if (route.length === 0 && openapi === undefined) return undefined;
  const patterns = route.filter((one): one is RoutePattern => one !== "auto");
  const documented = openapi === undefined ? [] : await readOpenApi(openapi);
  return { patterns: [...patterns, ...documented], isAutomatic: route.includes("auto") };
}

async function readOpenApi(path: string): Promise<RoutePattern[]> {
  const text = await readDocument(path);
  try {
    return openApiPatterns(parseYaml(text), path);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`not YAML or JSON: ${(error as Error).message}`, { source: path });
  }
}
