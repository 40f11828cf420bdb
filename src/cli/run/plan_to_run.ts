import { openBytes } from "../../base/bytes/open_bytes.ts";
import { loadPlan } from "../../plan/load.ts";
import { oneIteration } from "../../plan/one_iteration.ts";
import { mergeEnv } from "../../plan/overlay.ts";
import { override } from "../../plan/override.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Args } from "../command.ts";
import { printDiagnostics } from "../diagnostics.ts";
import type { Io } from "../io.ts";
import { overridesFrom } from "./overrides.ts";

/**
 * The plan at `path` with its overlay and what the command line changes in place; undefined when it
 * is wrong, which has then been said. Throws UsageError and InputError.
 */
export async function planToRun(path: string, args: Args, io: Io): Promise<Plan | undefined> {
  const overrides = overridesFrom(args);
  using source = await openBytes(path, io.stdin);
  const { plan, diagnostics } = await loadPlan(await source.bytes());
  // That no base URL is set is said by name, and only when none comes from the command line.
  printDiagnostics(diagnostics.filter(({ code }) => code !== "no-base-url"), path, io);
  if (plan === undefined) return undefined;
  const overlay = args.text("env");
  const changed = override(overlay === undefined ? plan : mergeEnv(plan, overlay), overrides);
  return args.has("once") ? oneIteration(changed) : changed;
}
