import { MAX_DOCUMENT_BYTES } from "../../base/bytes/byte_source.ts";
import { openBytes } from "../../base/bytes/open_bytes.ts";
import { loadPlan } from "../../plan/load_plan.ts";
import { mergeEnv } from "../../plan/overlay.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Args } from "../command/command.ts";
import { type FileDiagnostic, printDiagnostics } from "../output/diagnostics.ts";
import type { Io } from "../system/io.ts";
import { recordedInput } from "./input_kind.ts";
import { planFiles } from "./plan_files.ts";

/** Number of bytes that are enough to recognize recorded traffic. */
export const HEAD_BYTES = 64 * 1024;

/**
 * Reads the plan at `path` and applies the overlay that `--env` names, if any. Prints diagnostics
 * to standard error. Returns undefined if the plan is invalid. Throws InputError if the file cannot
 * be read, and UsageError if the plan has no overlay with that name.
 */
export async function readPlan(path: string, args: Args, io: Io): Promise<Plan | undefined> {
  using source = await openBytes(path, io.stdin);
  const head = await source.peek(HEAD_BYTES);
  const { plan, diagnostics } = loadPlan(await source.bytes(MAX_DOCUMENT_BYTES), {
    files: planFiles(path),
  });
  // `--base-url` or an overlay may set the base URL; `preflight` reports a missing one.
  const found = diagnostics.filter(({ code }) => code !== "no-base-url");
  const recorded = plan === undefined ? await findRecordedInput(head, path) : undefined;
  printDiagnostics(recorded === undefined ? found : [recorded], source.name, io);
  const overlay = args.text("env");
  return plan === undefined || overlay === undefined ? plan : mergeEnv(plan, overlay);
}

/**
 * Returns a diagnostic if a file that is not a valid plan contains recorded traffic, a summary or
 * an HTML page, otherwise undefined. `head` contains the first bytes of the file at `path`.
 */
export async function findRecordedInput(
  head: Uint8Array,
  path: string,
): Promise<FileDiagnostic | undefined> {
  return await recordedInput(head, path);
}
