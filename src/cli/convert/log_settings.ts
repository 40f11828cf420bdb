import { basename, dirname, relative } from "@std/path";
import { InputError, UsageError } from "../../base/errors.ts";
import { parseYaml } from "../../base/yaml.ts";
import type { LogLoadOptions } from "../../convert/accesslog/rate/build_load.ts";
import type { AccessLogOptions } from "../../convert/from_accesslog.ts";
import { collectIds, collectQueries } from "../../traffic/accesslog/collect/collect_values.ts";
import { buildFilters, type FilterOptions } from "../../traffic/accesslog/collect/filters.ts";
import { Statuses, Timings } from "../../traffic/accesslog/collect/small_collectors.ts";
import { Visits } from "../../traffic/accesslog/collect/visits.ts";
import type { TimeWindow } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { createTimeReader, type TimeNotation } from "../../traffic/accesslog/read/notations.ts";
import {
  openApiPatterns,
  type RouteOptions,
  type RoutePattern,
} from "../../traffic/accesslog/routes/merge_routes.ts";
import { readDocument } from "../input/read_documents.ts";
import { lineOptions, type Reading } from "../input/read_log.ts";
import { besidePlan, type ConvertGiven } from "./convert_options.ts";

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
