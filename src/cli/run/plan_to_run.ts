import { UsageError } from "../../base/errors.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import { oneIteration } from "../../plan/override.ts";
import { override, type Overrides } from "../../plan/override.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { parsePositiveNumber, parseWholeNumber } from "../command/args.ts";
import type { Args } from "../command/command.ts";
import { readPlan } from "../input/read_plan.ts";
import type { Io } from "../system/io.ts";

/**
 * Reads the plan at `path` and applies its overlay and the options of the command line. Prints
 * diagnostics, and returns undefined if the plan is invalid. Throws UsageError and InputError.
 */
export async function planToRun(path: string, args: Args, io: Io): Promise<Plan | undefined> {
  const overrides = overridesFrom(args);
  const plan = await readPlan(path, args, io);
  if (plan === undefined) return undefined;
  const changed = override(plan, overrides);
  return args.has("once") ? oneIteration(changed) : changed;
}

/** Parses the options of `run` that override parts of the plan. Throws UsageError. */
function overridesFrom(args: Args): Overrides {
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
