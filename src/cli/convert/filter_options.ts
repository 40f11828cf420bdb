import { UsageError } from "../../base/errors.ts";
import type { FilterOptions } from "../../traffic/accesslog/collect/filters.ts";
import { parseHost } from "../../traffic/accesslog/collect/request_host.ts";
import type { TimeWindow } from "../../traffic/accesslog/profile/busiest_window.ts";
import { TIME_NOTATIONS, type TimeNotation } from "../../traffic/accesslog/read/times/notations.ts";
import { ZonedTimeReader } from "../../traffic/accesslog/read/times/zoned_time.ts";
import { splitList } from "../command/args.ts";
import type { Args, Flag } from "../command/command.ts";
import { urlPatterns } from "./url_patterns.ts";

const GROUP = "Access logs: filters";

/** Options of `convert` that filter the requests of access logs. */
export const FILTER_FLAGS: readonly Flag[] = [
  {
    name: "since",
    value: "TIME",
    group: GROUP,
    help: "Keep requests at or after TIME, such as 2026-11-21T10:00:00Z",
  },
  {
    name: "until",
    value: "TIME",
    group: GROUP,
    help: "Keep requests before TIME",
  },
  {
    name: "busiest",
    value: "DURATION",
    group: GROUP,
    help: "Keep only the busiest part of the log with this duration, such as 1h",
  },
  {
    name: "method",
    value: "NAME,...",
    repeats: true,
    group: GROUP,
    help: "Keep only requests with these methods",
  },
  {
    name: "status",
    value: "CODE,...",
    repeats: true,
    group: GROUP,
    help: "Keep only requests with these response statuses or classes, such as 2xx,404",
  },
  {
    name: "exclude-client",
    value: "ADDRESS,...",
    repeats: true,
    group: GROUP,
    help: "Drop the requests of these clients, such as a monitoring service",
  },
  {
    name: "host",
    value: "NAME,...",
    repeats: true,
    group: GROUP,
    help: "Keep only requests to these hosts, if the log contains hosts",
  },
  {
    name: "no-static",
    group: GROUP,
    help: "Drop requests for images, scripts, style sheets and other static files",
  },
  {
    name: "no-bots",
    group: GROUP,
    help:
      "Drop requests from crawlers, health checks, load tools, scanners and HTTP libraries, and " +
      "requests without a user agent",
  },
];

/**
 * Parses the options that filter the requests of access logs. `timeZone` is the zone of times without
 * a zone (default: UTC). `busiest` is the part of the log that `--busiest` keeps. Throws UsageError if
 * an option is invalid.
 */
export async function filterOptions(
  args: Args,
  timeZone?: string,
  busiest?: TimeWindow,
): Promise<FilterOptions> {
  const bots = args.has("no-bots") && await import("../../traffic/accesslog/collect/bots.ts");
  return {
    since: time(args, "since", timeZone),
    until: time(args, "until", timeZone),
    busiest,
    ...await urlPatterns(args),
    methods: splitList(args.all("method")).map((method) => method.toUpperCase()),
    excludedClients: splitList(args.all("exclude-client")),
    hosts: hosts(splitList(args.all("host"))),
    statuses: statuses(splitList(args.all("status"))),
    noStatic: args.has("no-static"),
    ...(bots && { isBot: bots.isBot }),
  };
}

function time(args: Args, name: string, timeZone: string | undefined): number | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const ms = parseTimeOption(text, timeZone);
  if (ms !== undefined) return ms;
  throw new UsageError(`--${name} cannot be ${text}: expected a time, such as ${TIME_SHAPES}`);
}

function hosts(found: readonly string[]): string[] {
  const encoder = new TextEncoder();
  return found.map((text) => {
    const host = parseHost(encoder.encode(text));
    if (host !== undefined) return host;
    throw new UsageError(`--host cannot be ${text}: expected a host name, such as shop.example`);
  });
}

function statuses(found: readonly string[]): string[] {
  const invalid = found.find((text) => !/^[1-5](?:\d\d|xx)$/i.test(text));
  if (invalid === undefined) return found.map((text) => text.toLowerCase());
  throw new UsageError(
    `--status cannot be ${invalid}: expected statuses or status classes, such as 2xx,3xx,404`,
  );
}

const CLF = /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}$/;
const ISO = /^(\d{4}-\d\d-\d\d)(?:([T ]\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** Examples of times that `parseTimeOption` accepts, shown in error messages. */
const TIME_SHAPES = "2026-11-21, 2026-11-21T10:00:00Z, or a log's 21/Nov/2026:10:00:00 +0000 " +
  "(without a zone: in the zone of --time-zone, by default UTC)";

/**
 * Parses a time in ISO 8601 or in the format of access logs. Returns Unix milliseconds, or
 * undefined if the text is invalid.
 */
function parseTimeOption(text: string, timeZone: string | undefined): number | undefined {
  if (CLF.test(text)) return readTime("clf", text, timeZone);
  const found = ISO.exec(text);
  if (found === null) return undefined;
  const [, date, clock = "T00:00", seconds = ":00", zone = ""] = found;
  return readTime("iso", date + clock + seconds + zone, timeZone);
}

function readTime(
  notation: TimeNotation,
  text: string,
  timeZone: string | undefined,
): number | undefined {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer);
  const reader = TIME_NOTATIONS[notation].reader("");
  const zoned = timeZone === undefined ? reader : new ZonedTimeReader(reader, timeZone);
  const ms = zoned.read(view, bytes, 0, bytes.length, -1);
  return ms < 0 ? undefined : ms;
}
