import { MAX_DOCUMENT_BYTES } from "../base/bytes/byte_source.ts";
import { openBytes } from "../base/bytes/open_bytes.ts";
import { loadPlan } from "../plan/load_plan.ts";
import { mergeEnv } from "../plan/overlay.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Args } from "./command.ts";
import { printDiagnostics } from "./diagnostics.ts";
import type { Io } from "./io.ts";
import { planFiles } from "./plan_files.ts";

/**
 * The plan at `path` with the overlay that `--env` names; undefined when it is wrong, which has then
 * been said. Throws UsageError and InputError.
 */
export async function readPlan(path: string, args: Args, io: Io): Promise<Plan | undefined> {
  using source = await openBytes(path, io.stdin);
  const { plan, diagnostics } = await loadPlan(await source.bytes(MAX_DOCUMENT_BYTES), {
    files: planFiles(path),
  });
  // The base URL may come from elsewhere; whether one is missing is seen once it is in place.
  const found = diagnostics.filter(({ code }) => code !== "no-base-url");
  printDiagnostics(found, source.name, io);
  const overlay = args.text("env");
  return plan === undefined || overlay === undefined ? plan : mergeEnv(plan, overlay);
}
