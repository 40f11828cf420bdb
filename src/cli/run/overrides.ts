import { UsageError } from "../../base/errors.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { Overrides } from "../../plan/override.ts";
import type { Args } from "../command/command.ts";
import { parsePositiveNumber, parseWholeNumber } from "../command/number_flag.ts";

/** Parses the options of `run` that override parts of the plan. Throws UsageError. */
export function overridesFrom(args: Args): Overrides {
  return {
    baseUrl: args.text("base-url"),
    scenarios: args.all("scenario"),
    variables: new Map(args.all("var").map(variable)),
    vus: parseWholeNumber(args, "vus", 1),
    iterations: parseWholeNumber(args, "iterations", 1),
    duration: args.text("duration"),
    rateScale: parsePositiveNumber(args, "rate-scale"),
  };
}

function variable(given: string): [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (name !== undefined) return [name, value];
  throw new UsageError(`--var cannot be ${safeSnippet(given)}: expected NAME=VALUE`);
}
