import type { Flag } from "../command.ts";

/** The formats of logs that have a name. */
const LOG_FORMATS = [
  "combined",
  "common",
  "vhost_combined",
  "caddy",
  "traefik",
  "nginx-json",
  "alb",
  "cloudfront",
  "iis",
];

const LOGS = "Access logs";
const SHAPE = "Access logs: shape of the load";
const MORE = "Access logs: what the plan takes from the log beside the mix";
const WHICH = "Access logs: which requests count";
const HARS = "Browser recordings (HAR)";

/** Every option of `convert`. Those under a kind's heading are refused with the other kind. */
export const CONVERT_FLAGS: readonly Flag[] = [
  {
    name: "output",
    short: "o",
    value: "FILE",
    help: "Write the plan there, whole or not at all, instead of to standard output",
  },
  {
    name: "from",
    value: "KIND",
    choices: ["accesslog", "har"],
    help: "What the input is, where neither its name nor its content tells",
  },
  {
    name: "warnings",
    value: "FORMAT",
    choices: ["text", "json"],
    help: "Format of the warnings on standard error; json prints one object per line",
  },
  {
    name: "strict",
    help: "Exit with 2 if a warning needs an action; the plan is still written",
  },
  {
    name: "log-format",
    value: "F",
    suggests: LOG_FORMATS,
    group: LOGS,
    help: "How lines are written, where the file does not tell: an nginx log_format string, an " +
      `Apache LogFormat string, or ${LOG_FORMATS.join(", ")}`,
  },
  {
    name: "base-url",
    value: "URL",
    group: LOGS,
    help: "Where the plan's requests go, such as https://staging.example.com",
  },
  {
    name: "top",
    value: "N",
    group: LOGS,
    help: "Keep the N most frequent endpoints (20), or all of them with `all`",
  },
  {
    name: "profile",
    value: "FILE",
    group: LOGS,
    help: "Also write the traffic profile: the log as counts, which convert reads and adds up",
  },
  {
    name: "html",
    value: "FILE",
    group: LOGS,
    help: "Also write a picture of the log: its rate and the plan's, endpoints, what was skipped",
  },
  {
    name: "shape",
    value: "SHAPE",
    choices: ["curve"],
    group: SHAPE,
    help: "Follow the log's rate over time instead of its average",
  },
  {
    name: "stages",
    value: "N",
    group: SHAPE,
    help: "With --shape curve: the most stages that follow it (30)",
  },
  {
    name: "speed",
    value: "X",
    group: SHAPE,
    help: "Multiply the rate by X; the time it takes stays",
  },
  {
    name: "duration",
    value: "D",
    group: SHAPE,
    help: "Take D instead of the log's own time, at the same rates",
  },
  {
    name: "rate",
    value: "WHICH",
    choices: ["kept"],
    group: SHAPE,
    help: "Scale the rate to the share of the endpoints that --top keeps, so that they get their " +
      "recorded load",
  },
  {
    name: "ids",
    value: "FILE",
    group: MORE,
    help:
      "Also write the ids seen in paths to this CSV file, with their counts, and feed the plan " +
      "from it",
  },
  {
    name: "query",
    value: "WHAT",
    choices: ["keep"],
    group: MORE,
    help: "Keep the query strings of each endpoint, fed as they were seen",
  },
  {
    name: "journeys",
    group: MORE,
    help: "Replay visits, clustered into weighted journeys with the observed pauses, instead of " +
      "single requests",
  },
  {
    name: "thresholds",
    group: MORE,
    help: "Set thresholds and max_vus as observed, from a log that tells how long requests took",
  },
  {
    name: "since",
    value: "T",
    group: WHICH,
    help: "Those from this moment on, such as 2026-11-21T10:00:00Z",
  },
  {
    name: "until",
    value: "T",
    group: WHICH,
    help: "Those before this moment",
  },
  {
    name: "include",
    value: "RE",
    repeats: true,
    group: WHICH,
    help: "Those whose path matches one of these regular expressions",
  },
  {
    name: "exclude",
    value: "RE",
    repeats: true,
    group: WHICH,
    help: "Not those whose path matches one of these regular expressions",
  },
  {
    name: "method",
    value: "NAME,...",
    repeats: true,
    group: WHICH,
    help: "Those with one of these methods",
  },
  {
    name: "status",
    value: "CODE,...",
    repeats: true,
    group: WHICH,
    help: "Those answered so: statuses or classes of them, such as 2xx,404",
  },
  {
    name: "no-static",
    group: WHICH,
    help: "Not those for images, scripts, style sheets and other static files",
  },
  {
    name: "no-bots",
    group: WHICH,
    help:
      "Leave out crawlers, health checks, load tools, scanners, HTTP libraries and empty user agents",
  },
  {
    name: "har",
    value: "FILE",
    group: MORE,
    help:
      "Replay the journey that this HAR recorded, at the rate that the log shows for its first " +
      "request; the options for HARs work too",
  },
  {
    name: "origin",
    value: "HOST,...",
    repeats: true,
    group: HARS,
    help: "Keep only the calls to these hosts",
  },
  {
    name: "correlate",
    value: "WHAT,...",
    suggests: ["html", "header", "cookie", "encoded", "all"],
    repeats: true,
    group: HARS,
    help: "Correlate more than JSON bodies: html, header, cookie, encoded, or all",
  },
  {
    name: "explain",
    group: HARS,
    help: "Tell of every dynamic-looking value where it came from, where it went, and why",
  },
  {
    name: "secrets",
    group: HARS,
    help: "Move recorded credentials out of the plan, to environment variables",
  },
  {
    name: "think-time",
    value: "WHICH",
    choices: ["recorded"],
    group: HARS,
    help: "Pause between calls as recorded",
  },
  {
    name: "max-think",
    value: "DURATION",
    group: HARS,
    help: "The longest recorded pause that is kept (30s)",
  },
  {
    name: "checks",
    value: "WHICH",
    choices: ["status"],
    group: HARS,
    help: "Check that each answer has the recorded status",
  },
  {
    name: "group",
    value: "BY",
    choices: ["page"],
    group: HARS,
    help: "Group the calls of each recorded page",
  },
  {
    name: "verify",
    group: HARS,
    help:
      "Play the plan against a stand-in for the recorded server, and warn of what does not hold",
  },
];

/** The options that only one kind of input has. */
export function kindFlags(kind: "accesslog" | "har"): readonly Flag[] {
  const isHar = ({ group }: Flag) => group === HARS;
  return CONVERT_FLAGS.filter((flag) =>
    flag.group !== undefined && isHar(flag) === (kind === "har")
  );
}
