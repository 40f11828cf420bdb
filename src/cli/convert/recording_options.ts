import { CHECK_LEVELS } from "../../convert/har/checks/response_checks.ts";
import type { HarOptions } from "../../convert/har/facts.ts";
import { OPTIONAL_SOURCES } from "../../correlation/source_kinds.ts";
import {
  choice,
  duration,
  fileToRead,
  type Given,
  grouped,
  list,
  type Option,
  repeated,
  toggle,
  uploadFiles,
} from "../command/options.ts";

/** Values of `--correlate`. JSON bodies are always searched. */
const SOURCES = ["json", ...OPTIONAL_SOURCES, "all"] as const;

/** An option whose values are regular expressions. */
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

/** Options of `convert` that apply to logs and to browser recordings. */
export const SHARED_OPTIONS = {
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

const GROUP = { group: "Browser recordings (HAR)" };

const RECORDING = grouped(GROUP, {
  origin: list({ value: "HOST,...", help: "Keep only calls to these hosts" }),
  keepStatic: toggle({
    help: "Keep calls for images, style sheets, scripts, fonts and media",
  }),
  correlate: list(
    {
      value: "SOURCE,...",
      suggests: SOURCES,
      otherwise: "all",
      help: `Correlate only values in JSON bodies and in these sources: ${SOURCES.join(", ")}`,
    },
    `a comma-separated list of ${SOURCES.join(", ")}`,
    (text) => SOURCES.find((source) => source === text),
  ),
  explain: toggle({
    help: "Explain each dynamic-looking value: its source, its uses and whether it is correlated",
  }),
  secrets: toggle({ help: "Replace recorded credentials with environment variables" }),
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

/** Options of `convert` that apply only to browser recordings. */
export const RECORDING_OPTIONS = {
  ...RECORDING,
  verify: toggle({
    ...GROUP,
    conflicts: { har: "run `rehearse verify` on the plan instead" },
    help: "Run the plan offline against a mock of the recorded server, and warn about each problem",
  }),
};

/** Returns the options for converting a HAR. */
export function harOptions(
  given: Given<typeof SHARED_OPTIONS & typeof RECORDING_OPTIONS>,
): HarOptions {
  const { include, exclude, origin, maxThink, checks, correlate } = given;
  const isSought = (source: typeof SOURCES[number]) =>
    correlate.includes("all") || correlate.includes(source);
  return {
    include,
    exclude,
    ...(origin.length > 0 && { origins: origin }),
    keepStatic: given.keepStatic,
    secrets: given.secrets,
    thinkTime: given.thinkTime !== undefined,
    ...(maxThink !== undefined && { maxThinkMs: maxThink }),
    ...(checks && { checks }),
    groupByPage: given.group !== undefined,
    parallel: given.parallel,
    ...(correlate.length > 0 && { correlate: new Set(OPTIONAL_SOURCES.filter(isSought)) }),
    explain: given.explain,
  };
}
