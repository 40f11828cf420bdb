import { UsageError } from "../../base/errors.ts";
import {
  choice,
  fileToRead,
  fileToWrite,
  type Given,
  toFlags,
  toggle,
} from "../command/options.ts";
import { LOG_OPTIONS } from "./log_options.ts";
import { RECORDING_OPTIONS, SHARED_OPTIONS } from "./recording_options.ts";

/** All options of `convert`. */
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
  ...LOG_OPTIONS,
  ...RECORDING_OPTIONS,
};

/** Values of the options of `convert`. */
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
  if (kind === "accesslog" && har !== undefined) return;
  if (kind === "accesslog" && checks === "response") {
    throw new UsageError("--checks=response works only for a HAR file: a log has only statuses");
  }
  if (kind === "accesslog" && login !== undefined) return;
  const [found, other, expected] = kind === "har"
    ? ["a HAR file", LOG_OPTIONS, "an access log"] as const
    : ["an access log", RECORDING_OPTIONS, "a HAR file"] as const;
  const misplaced = toFlags(other).find(({ name }) => args.has(name));
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

/** Files that a plan reads and that are next to it. */
export const BESIDE_PLAN = ["arrivals", "visits"] as const;

/**
 * Returns the path of a file that the plan reads, next to the plan: the plan's path with a suffix.
 * Returns undefined if no option needs the file, or no plan is written. Throws UsageError if the
 * plan goes to standard output.
 */
export function besidePlan(
  { shape, journeys, shard, output, update }: ConvertGiven,
  suffix: typeof BESIDE_PLAN[number],
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
