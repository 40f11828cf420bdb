import { OPTIONAL_SOURCES } from "../../convert/correlate/sources/source_kinds.ts";
import type { Flag } from "../command/command.ts";

/** The options that apply only to one kind of input. */
const KIND_FLAGS = {
  accesslog: [...LOG_FLAGS, ...FILTER_FLAGS],
  har: RECORDING_FLAGS,
};

/** All options of `convert`. An option for one kind of input is rejected for any other kind. */
export const CONVERT_FLAGS: readonly Flag[] = [
  {
    name: "output",
    short: "o",
    value: "FILE",
    help: "Write the plan to FILE (atomically) instead of standard output",
  },
  {
    name: "from",
    value: "KIND",
    choices: ["accesslog", "har"],
    help: "Kind of the input, if neither its name nor its content shows it",
  },
  {
    name: "warnings",
    value: "FORMAT",
    choices: ["text", "json"],
    default: "text",
    help: "Format of the warnings on standard error; json prints one object per line",
  },
  {
    name: "strict",
    help: "Exit with 2 if a warning needs an action; the plan is still written",
  },
  {
    name: "log-format",
    value: "FORMAT",
    suggests: LOG_FORMATS,
    group: LOGS,
    help: "Format of the log lines: an nginx log_format string, an Apache LogFormat string, or " +
      LOG_FORMATS.join(", "),
    default: "detected",
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
    group: LOGS,
    default: "20",
    help: "Keep the N most frequent endpoints, or all of them with `all`",
  },
  {
    name: "profile",
    value: "FILE",
    group: LOGS,
    help: "Also write the log as counts; convert accepts and merges such traffic profiles",
  },
  {
    name: "html",
    value: "FILE",
    group: LOGS,
    help: "Also write an HTML page: rates of the log and the plan, endpoints, skipped lines",
  },
  {
    name: "shape",
    value: "curve",
    choices: ["curve"],
    group: SHAPE,
    help: "Follow the log's rate over time instead of its average",
  },
  {
    name: "stages",
    value: "N",
    group: SHAPE,
    default: "30",
    help: "Use at most N stages with --shape curve",
  },
  {
    name: "speed",
    value: "FACTOR",
    group: SHAPE,
    help: "Multiply the rate by FACTOR; the duration does not change",
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
    choices: ["kept"],
    group: SHAPE,
    help: "Reduce the rate to the endpoints that --top keeps, so that each gets its recorded rate",
  },
  {
    name: "ids",
    value: "FILE",
    group: MORE,
    help: "Also write the ids in paths to this CSV file, with their counts; the plan reads it",
  },
  {
    name: "query",
    value: "keep",
    choices: ["keep"],
    group: MORE,
    help: "Keep the query strings of each endpoint, as often as they occur in the log",
  },
  {
    name: "journeys",
    group: MORE,
    help: "Replay visits, clustered into weighted flows with the observed pauses, instead of " +
      "single requests",
  },
  {
    name: "thresholds",
    group: MORE,
    help: "Set thresholds and max_vus from the response times in the log",
  },
  {
    name: "since",
    value: "TIME",
    group: FILTERS,
    help: "Keep requests from TIME on, such as 2026-11-21T10:00:00Z",
  },
  {
    name: "until",
    value: "TIME",
    group: FILTERS,
    help: "Keep requests before TIME",
  },
  {
    name: "include",
    value: "REGEX",
    repeats: true,
    group: FILTERS,
    help: "Keep only requests whose path matches REGEX",
  },
  {
    name: "exclude",
    value: "REGEX",
    repeats: true,
    group: FILTERS,
    help: "Drop requests whose path matches REGEX",
  },
  {
    name: "method",
    value: "NAME,...",
    repeats: true,
    group: FILTERS,
    help: "Keep only requests with these methods",
  },
  {
    name: "status",
    value: "CODE,...",
    repeats: true,
    group: FILTERS,
    help: "Keep only requests with these response statuses or classes, such as 2xx,404",
  },
  {
    name: "no-static",
    group: FILTERS,
    help: "Drop requests for images, scripts, style sheets and other static files",
  },
  {
    name: "no-bots",
    group: FILTERS,
    help:
      "Drop requests of crawlers, health checks, load tools, scanners and HTTP libraries, and " +
      "those without a user agent",
  },
  {
    name: "har",
    value: "FILE",
    group: MORE,
    help:
      "Replay the session in this HAR at the rate that the log shows for its first request; the " +
      "options for HARs apply too",
  },
  {
    name: "origin",
    value: "HOST,...",
    repeats: true,
    group: HARS,
    help: "Keep only calls to these hosts",
  },
  {
    name: "correlate",
    value: "SOURCE,...",
    suggests: [...OPTIONAL_SOURCES, "all"],
    repeats: true,
    group: HARS,
    help: `Also correlate values from ${OPTIONAL_SOURCES.join(", ")}, or all, not only JSON bodies`,
  },
  {
    name: "explain",
    group: HARS,
    help: "Explain each dynamic-looking value: its source, its uses and the decision",
  },
  {
    name: "secrets",
    group: HARS,
    help: "Replace recorded credentials with environment variables",
  },
  {
    name: "think-time",
    value: "recorded",
    choices: ["recorded"],
    group: HARS,
    help: "Keep the recorded pauses between calls",
  },
  {
    name: "max-think",
    value: "DURATION",
    group: HARS,
    default: "30s",
    help: "Shorten recorded pauses to at most DURATION",
  },
  {
    name: "checks",
    value: "status",
    choices: ["status"],
    group: HARS,
    help: "Check that each response has the recorded status",
  },
  {
    name: "group",
    value: "page",
    choices: ["page"],
    group: HARS,
    help: "Group the calls of each recorded page",
  },
  {
    name: "verify",
    group: HARS,
    help: "Run the plan offline against a mock of the recorded server, and warn of each problem",
  },
];

/**
 * Options that define the requests of a plan from a log. They do not apply with `--har`, because
 * the HAR defines the requests.
 */
const FIXED_BY_HAR = ["top", "rate", "ids", "query", "journeys", "thresholds"];

/** Throws UsageError if an option does not apply to the given kind of input. */
export function refuseOthers(args: Args, kind: "accesslog" | "har"): void {
  if (kind === "accesslog" && args.has("har")) {
    const useless = FIXED_BY_HAR.find((name) => args.has(name));
    if (useless === undefined) return;
    throw new UsageError(
      `--${useless} cannot be combined with --har: the requests come from the HAR`,
    );
  }
  const [found, other, expected] = kind === "har"
    ? ["a HAR file", "accesslog", "an access log"] as const
    : ["an access log", "har", "a HAR file"] as const;
  const wrong = KIND_FLAGS[other].find(({ name }) => args.has(name));
  if (wrong === undefined) return;
  throw new UsageError(`--${wrong.name} works only for ${expected}, but the input is ${found}`);
}
