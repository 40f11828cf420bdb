import { UsageError } from "../../base/errors.ts";
import type { Args, Flag } from "../command/command.ts";
import { FILTER_FLAGS } from "./filter_options.ts";
import { ROUTE_FLAGS } from "./route_options.ts";
import { LOG_FLAGS } from "./log_options.ts";
import { CHECKS_FLAG, RECORDING_FLAGS } from "./recording_options.ts";
import { PATTERN_FLAGS } from "./url_patterns.ts";

/** Options that apply to only one kind of input, keyed by the kind. */
const KIND_FLAGS = {
  accesslog: [...LOG_FLAGS, ...FILTER_FLAGS, ...ROUTE_FLAGS],
  har: RECORDING_FLAGS,
};

/** Kinds of input that `--from` accepts. */
export const FORCED_KINDS = ["accesslog", "har"] as const;

/** All options of `convert`. An option for one kind of input is rejected for any other kind. */
export const CONVERT_FLAGS: readonly Flag[] = [
  {
    name: "output",
    short: "o",
    file: "write",
    help: "Write the plan to FILE (atomically) instead of standard output",
  },
  {
    name: "update",
    file: "write",
    value: "PLAN",
    help: "Merge the conversion into PLAN and keep your edits and comments; PLAN.base stores the " +
      "unedited conversion for the next update",
  },
  {
    name: "base",
    file: "read",
    help: "With --update, the unedited plan from the previous conversion (default: PLAN.base)",
  },
  {
    name: "from",
    value: "KIND",
    choices: FORCED_KINDS,
    help: "Type of the input, if its name and content do not identify it",
  },
  {
    name: "warnings",
    value: "FORMAT",
    choices: ["text", "json"],
    default: "text",
    help: "Format of the warnings on standard error; json prints one object per line",
  },
  {
    name: "html",
    file: "write",
    help:
      "Also write an HTML page to FILE. For a log: rates, endpoints and skipped lines. For a HAR: " +
      "calls, values with their sources and consumers, and edits to make",
  },
  {
    name: "strict",
    help: "Exit with code 3 if a warning needs action; the plan is still written",
  },
  ...PATTERN_FLAGS,
  CHECKS_FLAG,
  ...KIND_FLAGS.accesslog,
  ...KIND_FLAGS.har,
];

/**
 * Options that determine which requests a plan from a log sends. They cannot be combined with
 * `--har`, because then the HAR determines the requests.
 */
const FIXED_BY_HAR = [
  "faithful",
  "top",
  "rate",
  "ids",
  "query",
  "redact",
  "journeys",
  "thresholds",
  "login",
  "revalidate",
];

/** Throws UsageError if one of the given options does not apply to inputs of this kind. */
export function refuseOthers(args: Args, kind: "accesslog" | "har"): void {
  if (kind === "accesslog" && args.has("har")) {
    const useless = FIXED_BY_HAR.find((name) => args.has(name));
    if (useless === undefined) return;
    throw new UsageError(
      `--${useless} cannot be combined with --har: the requests come from the HAR`,
    );
  }
  if (kind === "accesslog" && args.text("checks") === "response") {
    throw new UsageError("--checks=response works only for a HAR file: a log has only statuses");
  }
  if (kind === "accesslog" && args.has("login")) return;
  const [found, other, expected] = kind === "har"
    ? ["a HAR file", "accesslog", "an access log"] as const
    : ["an access log", "har", "a HAR file"] as const;
  const misplaced = KIND_FLAGS[other].find(({ name }) => args.has(name));
  if (misplaced === undefined) return;
  const instead = misplaced.name === "secrets"
    ? "; `--redact` replaces the credentials in a log"
    : misplaced.name === "redact"
    ? "; `--secrets` replaces the credentials in a HAR"
    : "";
  throw new UsageError(
    `--${misplaced.name} works only for ${expected}, but the input is ${found}${instead}`,
  );
}
