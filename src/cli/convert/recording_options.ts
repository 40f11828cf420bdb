import { DURATION_SHAPES, durationMs } from "../../base/format.ts";
import { UsageError } from "../../base/errors.ts";
import { OPTIONAL_SOURCES } from "../../correlation/source_kinds.ts";
import type { HarOptions } from "../../convert/har/har_options.ts";
import { CHECK_LEVELS } from "../../convert/har/checks/response_checks.ts";
import { parseChoice, splitList } from "../command/args.ts";
import type { Args, Flag } from "../command/command.ts";
import { urlPatterns } from "./url_patterns.ts";

const GROUP = "Browser recordings (HAR)";
/** Values of `--correlate`. JSON bodies are always searched. */
const SOURCES: readonly string[] = ["json", ...OPTIONAL_SOURCES, "all"];

/** Option of `convert` that applies to logs and to browser recordings. */
export const CHECKS_FLAG: Flag = {
  name: "checks",
  value: "LEVEL",
  bare: "status",
  choices: CHECK_LEVELS,
  default: "status",
  help:
    "Check that each response has the recorded status, or for a log its class; with `response` " +
    "(only HAR), also check the media type, redirect target, title, forms and JSON members",
};

/** Options of `convert` that apply only to browser recordings. */
export const RECORDING_FLAGS: readonly Flag[] = [
  {
    name: "origin",
    value: "HOST,...",
    repeats: true,
    group: GROUP,
    help: "Keep only calls to these hosts",
  },
  {
    name: "keep-static",
    group: GROUP,
    help: "Keep calls for images, style sheets, scripts, fonts and media",
  },
  {
    name: "correlate",
    value: "SOURCE,...",
    suggests: SOURCES,
    repeats: true,
    group: GROUP,
    default: "all",
    help: `Correlate only values in JSON bodies and in these sources: ${SOURCES.join(", ")}`,
  },
  {
    name: "explain",
    group: GROUP,
    help: "Explain each dynamic-looking value: its source, its uses and whether it is correlated",
  },
  {
    name: "secrets",
    group: GROUP,
    help: "Replace recorded credentials with environment variables",
  },
  {
    name: "think-time",
    value: "recorded",
    bare: "recorded",
    choices: ["recorded"],
    group: GROUP,
    help: "Keep the recorded pauses between calls",
  },
  {
    name: "max-think",
    value: "DURATION",
    group: GROUP,
    default: "30s",
    help: "Shorten recorded pauses to at most DURATION",
  },
  {
    name: "group",
    value: "page",
    bare: "page",
    choices: ["page"],
    group: GROUP,
    help: "Group the calls of each recorded page",
  },
  {
    name: "parallel",
    group: GROUP,
    help: "Send requests in parallel if they overlapped in the recording, as the browser did",
  },
  {
    name: "again",
    file: "read",
    group: GROUP,
    help: "Repair the plan with FILE, a second recording of the same session",
  },
  {
    name: "verify",
    group: GROUP,
    help: "Run the plan offline against a mock of the recorded server, and warn about each problem",
  },
];

/** Parses the options for a HAR. Throws UsageError if an option is invalid. */
export function harOptions(args: Args): HarOptions {
  return {
    ...urlPatterns(args),
    ...(args.has("origin") && { origins: splitList(args.all("origin")) }),
    keepStatic: args.has("keep-static"),
    secrets: args.has("secrets"),
    thinkTime: args.has("think-time"),
    ...(args.has("max-think") && { maxThinkMs: maxThink(args.text("max-think")!) }),
    ...(args.has("checks") && { checks: parseChoice(args, "checks", CHECK_LEVELS) }),
    groupByPage: args.has("group"),
    parallel: args.has("parallel"),
    ...(args.has("correlate") && { correlate: correlated(splitList(args.all("correlate"))) }),
    explain: args.has("explain"),
  };
}

function maxThink(text: string): number {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  throw new UsageError(`--max-think cannot be ${text}: expected a duration, ${DURATION_SHAPES}`);
}

function correlated(names: readonly string[]): NonNullable<HarOptions["correlate"]> {
  const invalid = names.find((name) => !SOURCES.includes(name));
  if (invalid !== undefined) {
    throw new UsageError(
      `--correlate cannot be ${invalid}: expected a comma-separated list of ${SOURCES.join(", ")}`,
    );
  }
  return new Set(
    OPTIONAL_SOURCES.filter((source) => names.includes("all") || names.includes(source)),
  );
}
