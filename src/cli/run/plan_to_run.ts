import { oneIteration } from "../../plan/one_iteration.ts";
import { override } from "../../plan/override.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Args } from "../command.ts";
import type { Io } from "../io.ts";
import { readPlan } from "../read_plan.ts";
import { overridesFrom } from "./overrides.ts";

/**
 * The plan at `path` with its overlay and what the command line changes in place; undefined when it
 * is wrong, which has then been said. Throws UsageError and InputError.
 */
export async function planToRun(path: string, args: Args, io: Io): Promise<Plan | undefined> {
  const overrides = overridesFrom(args);
  const plan = await readPlan(path, args, io);
  if (plan === undefined) return undefined;
  const changed = override(plan, overrides);
  return args.has("once") ? oneIteration(changed) : changed;
}
