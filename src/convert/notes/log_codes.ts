import type { NoteKind } from "./note_codes.ts";

/** Description of all notes about an access log that have the same code. */
export interface LogNoteKind extends NoteKind {
  /**
   * True if notes of this kind are printed but not written to the plan, because they refer to lines
   * of the log.
   */
  readonly printOnly?: boolean;
}

const KINDS = {
  "base-url": {
    level: "warning",
    meaning: "the plan has no base URL, because `convert` never takes the target from a log",
    action: "set `defaults.http.base_url`, or pass `--base-url` to `convert` or `run`",
  },
  "several-hosts": {
    level: "warning",
    meaning:
      "the log contains requests to several hosts; a plan has one base URL, and the same path on different hosts is one endpoint",
    action: "make one plan for each host with `--host`",
    // A sample of the log contains the hosts, and a traffic profile does not.
    printOnly: true,
  },
  "average-rate": {
    level: "info",
    exception: "warning if the log's peak is more than twice the rate",
    meaning: "the plan's rate is the log's average",
    action:
      "to test the worst case, ramp up to the peak with `ramping-arrival-rate`; to replay bursts, use `--shape exact`",
  },
  "curve-fit": {
    level: "info",
    exception:
      "warning if more than 20% of the requests are in poorly fitted minutes, or the log's peak is more than twice the highest rate",
    meaning:
      "the rate follows the log's curve in stages. In poorly fitted minutes, the log's rate is less than half or more than twice the plan's",
    action:
      "if the curve smooths out bursts, follow the advice in the message: `--stages auto`, `--shape exact`, or `--busiest`",
  },
  "vus-limited": {
    level: "warning",
    meaning: "the log's peak needs more VUs than a scenario can have",
    action: "lower the rate with `--speed`, or use several machines",
  },
  "duration-set": {
    level: "info",
    meaning: "`--duration` sets the duration of the plan",
    action: "raise or lower the rates with `--speed X`",
  },
  "time-squeezed": {
    level: "info",
    meaning:
      "`--squeeze` divides all times of the log, so the target gets a higher rate than in production",
    action: "no action needed",
  },
  "id-segments": {
    level: "warning",
    meaning: "path segments that look like ids were replaced with `${vars.id}`",
    action: "replace the placeholder `variables.id` with real ids, for example with `--ids FILE`",
  },
  "routes-merged": {
    level: "info",
    meaning:
      "`--route` or `--openapi` merged paths into one endpoint, or `--route auto` found a path parameter",
    action: "check that the merged paths lead to the same page; otherwise, give `--route` patterns",
  },
  "route-unmatched": {
    level: "warning",
    meaning: "no path in the log matches a `--route` pattern",
    action: "check the pattern: each `:name` matches one path segment",
  },
  "query-dropped": {
    level: "warning",
    meaning: "query strings were dropped",
    action: "add the parameters that matter with `params:`",
  },
  "request-bodies": {
    level: "warning",
    meaning: "logs do not record bodies, and the plan has POST, PUT or PATCH requests",
    action: "add a realistic `body:` to these requests",
  },
  "long-tail": {
    level: "warning",
    exception: "info with `--rate kept`",
    meaning: "only the most frequent endpoints are kept, so each gets more load than recorded",
    action: "keep more endpoints with `--top`, or scale the rate with `--rate kept`",
  },
  "gaps": {
    level: "warning",
    meaning:
      "at least 90% of the requests are in less than 10% of the time span, because of an outlier or long gaps",
    action:
      "keep one period with the values of `--since` and `--until`, or of `--busiest`, that the message shows",
  },
  "odd-times": {
    level: "warning",
    meaning: "requests are dated before 1990 or in the future",
    action:
      "check the clock and the time zone of the server, or exclude these requests with `--since` and `--until`",
  },
  "filtered": {
    level: "info",
    meaning: "an option such as `--no-bots` dropped requests",
    action: "no action needed",
  },
  "observed-thresholds": {
    level: "info",
    meaning: "thresholds and `max_vus` are derived from the log",
    action: "set the limits that you have promised your users",
  },
  "ids-fed": {
    level: "info",
    meaning:
      "ids come from the file that `--ids` wrote; beyond 262,144 distinct ids, it contains a sample",
    action: "make sure that these ids exist on the target",
  },
  "query-kept": {
    level: "info",
    exception: "warning if the kept query strings cover less than 90% of their endpoints' requests",
    meaning: "the plan sends the 1,000 most frequent recorded query strings of each endpoint",
    action: "check them for expired tokens and dates",
  },
  "literal-secret": {
    level: "warning",
    meaning: "kept query strings or paths contain credentials or e-mail addresses",
    action:
      "replace them with `--redact` before you share the plan, or exclude the requests with `--exclude`",
  },
  "redacted": {
    level: "info",
    meaning: "`--redact` replaced credentials and e-mail addresses with placeholders",
    action: "replace the placeholders with values that the target accepts, if requests need them",
  },
  "journeys": {
    level: "info",
    meaning:
      "the plan replays recorded visits from a file, or a sample of them if they exceed `--visits-size`",
    action: "make sure that the ids in the URLs exist on the target",
  },
  "one-client": {
    level: "warning",
    meaning:
      "with `--journeys`, every request has the same client address, perhaps of a proxy or of the server itself",
    action:
      "log `X-Forwarded-For`, and describe the lines with `--log-format`; or select another field with `--client`",
  },
  "host-as-client": {
    level: "warning",
    printOnly: true,
    meaning:
      "with `--journeys`, the first word of a line was read as the client's address, although only the second word is an address",
    action: "if the lines start with the host, pass `--log-format vhost_combined`",
  },
  "entry-point": {
    level: "info",
    meaning:
      "with `--har`, the plan starts the recorded session as often as the session's first request occurs in the log",
    action: "lower the rate if many visitors leave early",
  },
  "no-time-zone": {
    level: "warning",
    meaning: "the log's timestamps have no time zone and were read as UTC",
    action: "log the time zone, or pass the server's time zone with `--time-zone`",
  },
  "repeated-hour": {
    level: "warning",
    meaning:
      "with `--time-zone`, the log contains the hour that occurs twice when daylight saving time ends; its requests count in the first of the two",
    action: "log the time zone, or exclude the hour",
  },
  "not-modified": {
    level: "info",
    printOnly: true,
    meaning:
      "the log shows responses with the status 304. Without `--revalidate`, the plan sends no conditional requests, so the target sends whole responses",
    action: "if this matters, use `--revalidate`",
  },
  "visits-logged-in": {
    level: "info",
    meaning: "with `--login`, the number of visits that start with the recorded login",
    action: "if it is too low or too high, check that the HAR contains only the login",
  },
  "missing-field": {
    level: "warning",
    printOnly: true,
    meaning: "`--json` refers to a field that does not occur in the first 64 KiB of any log",
    action: "correct or remove it",
  },
  "unused-fields": {
    level: "info",
    printOnly: true,
    meaning: "`--log-format` contains variables or directives that `convert` does not use",
    action: "correct misspelled names; ignore the others",
  },
  "guessed-format": {
    level: "warning",
    printOnly: true,
    meaning:
      "the log is JSON in no known format; `convert` recognized its members by their values and names",
    action: "check the members in the message; give `--json` if one of them is wrong",
  },
  "same-file": {
    level: "warning",
    meaning:
      "an input is the same file as an earlier input, possibly through a link; it is read once",
    action: "pass each file once",
  },
  "one-thread": {
    level: "info",
    meaning:
      "a large log was read on one thread, because the threads of a checkout need read access to their modules in `src`",
    action: "add the flag in the message to `deno run`",
    printOnly: true,
  },
  "malformed-lines": {
    level: "warning",
    printOnly: true,
    meaning: "lines could not be parsed and were skipped",
    action: "check these lines; if most are skipped, the log is in a different format",
  },
} satisfies Record<string, LogNoteKind>;

/** Code of a note about an access log. */
export type LogNoteCode = keyof typeof KINDS;

/** The kinds of notes about access logs, keyed by code, in the order of docs/warnings.md. */
export const LOG_NOTE_KINDS: Readonly<Record<LogNoteCode, LogNoteKind>> = KINDS;
