import { openBytes } from "../../base/bytes/open_bytes.ts";
import { loadPlan } from "../../plan/load.ts";
import { oneIteration } from "../../plan/one_iteration.ts";
import { mergeEnv } from "../../plan/overlay.ts";
import { override } from "../../plan/override.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Args } from "../command.ts";
import { printDiagnostics } from "../diagnostics.ts";
import type { Io } from "../io.ts";
import { planFiles } from "../plan_files.ts";
import { overridesFrom } from "./overrides.ts";

/**
 * The plan at `path` with its overlay and what the command line changes in place; undefined when it
 * is wrong, which has then been said. Throws UsageError and InputError.
 */
export async function planToRun(path: string, args: Args, io: Io): Promise<Plan | undefined> {
  const overrides = overridesFrom(args);
  using source = await openBytes(path, io.stdin);
  const bytes = await source.bytes();
  const { plan, diagnostics } = await loadPlan(bytes, { files: planFiles(path) });
  // The command line may set the base URL; whether one is missing is seen once it is in place.
  const found = diagnostics.filter(({ code }) => code !== "no-base-url");
  printDiagnostics(found, source.name, io);
  if (plan === undefined) return undefined;
  const overlay = args.text("env");
  const changed = override(overlay === undefined ? plan : mergeEnv(plan, overlay), overrides);
  return args.has("once") ? oneIteration(changed) : changed;
}
