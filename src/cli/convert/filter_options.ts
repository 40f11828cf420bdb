import { UsageError } from "../../base/errors.ts";
import type { FilterOptions } from "../../traffic/accesslog/collect/filters.ts";
import { parseHost } from "../../traffic/accesslog/collect/small_collectors.ts";
import type { TimeWindow } from "../../traffic/accesslog/profile/busiest_window.ts";
import { splitList } from "../command/args.ts";
import type { Args, Flag } from "../command/command.ts";
import { timeOption } from "./time_option.ts";
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
    help: "Keep only the busiest period of length DURATION, such as 1h",
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
 * Parses the options that filter the requests of access logs. `timeZone` applies to times without a
 * zone (default: UTC). `busiest` is the part of the log that `--busiest` keeps. Throws UsageError
 * if an option is invalid.
 */
export function filterOptions(
  args: Args,
  timeZone?: string,
  busiest?: TimeWindow,
): FilterOptions {
  return {
    ...timeOptions(args, timeZone),
    busiest,
    ...urlPatterns(args),
    methods: splitList(args.all("method")).map((method) => method.toUpperCase()),
    excludedClients: splitList(args.all("exclude-client")),
    hosts: hosts(splitList(args.all("host"))),
    statuses: statuses(splitList(args.all("status"))),
    noStatic: args.has("no-static"),
    noBots: args.has("no-bots"),
  };
}

function timeOptions(
  args: Args,
  timeZone: string | undefined,
): { readonly since?: number; readonly until?: number } {
  if (!args.has("since") && !args.has("until")) return {};
  const since = timeOption(args, "since", timeZone);
  const until = timeOption(args, "until", timeZone);
  if (since !== undefined && until !== undefined && since >= until) {
    throw new UsageError(
      `--since ${args.text("since")} must be before --until ${args.text("until")}`,
    );
  }
  return { since, until };
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
