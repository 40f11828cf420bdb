import { oneIteration } from "../../plan/one_iteration.ts";
import { override } from "../../plan/override.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Args } from "../command/command.ts";
import type { Io } from "../system/io.ts";
import { readPlan } from "../input/read_plan.ts";
import { overridesFrom } from "./overrides.ts";

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
