import { UsageError } from "../../base/errors.ts";
import { CHECK_LEVELS } from "../../convert/har/checks.ts";
import type { HarOptions } from "../../convert/har/facts.ts";
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

const GROUP = { group: "Browser recordings (HAR)", input: "a HAR file" };

const RECORDING = grouped(GROUP, {
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

const RECORDING_OPTIONS = {
  ...RECORDING,
  verify: toggle({
    ...GROUP,
    conflicts: { har: "run `rehearse verify` on the plan instead" },
    help: "Run the plan offline against a mock of the recorded server, and warn about each problem",
  }),
};

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
  ...RECORDING_OPTIONS,
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
