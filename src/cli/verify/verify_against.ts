import { UsageError } from "../../base/errors.ts";
import { safeJson } from "../../base/safe_text.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { compareWithLog } from "../../verify/log/compare_with_log.ts";
import { StatusClassTotals } from "../../verify/log/status_class_counts.ts";
import { verifyPlan } from "../../verify/verify_plan.ts";
import type { Args } from "../command/command.ts";
import { openInputs } from "../input/open_inputs.ts";
import { fileReader } from "../input/plan_files.ts";
import { readHarFile } from "../input/read_har_file.ts";
import { readLog } from "../input/read_log.ts";
import { readSummary } from "../input/read_summary.ts";
import { printNotes } from "../output/print_notes.ts";
import { progressLine } from "../output/progress_line.ts";
import type { Io } from "../system/io.ts";
import { logComparisonText } from "./log_comparison_text.ts";
import { verificationText } from "./verification_text.ts";

/** Output formats of `verify`. */
export const VERIFY_FORMATS = ["text", "json", "html"] as const;

/**
 * Verifies the plan at `path` against the HAR at `har` and prints the findings. Returns the exit
 * code: 1 if the verification failed, otherwise 0. Throws InputError if the HAR cannot be read.
 */
export async function verifyAgainstHar(
  plan: Plan,
  path: string,
  har: string,
  load: { readonly users: number; readonly iterations: number },
  args: Args,
  io: Io,
): Promise<number> {
  const found = await verifyPlan(plan, await readHarFile(har, io), {
    ...load,
    readFile: fileReader(path),
    readEnv: (name) => Deno.env.get(name),
  }, har);
  const loadPage = async () => (await import("./pages.ts")).verificationPage;
  io.stdout.write(await formatFindings(found, args, verificationText, loadPage));
  return found.verdict === "failed" ? 1 : 0;
}

/**
 * Compares a run of `plan` with access logs and prints the findings. Returns the exit code: 0 if
 * the run matches the logs, otherwise 1. Throws UsageError if `--run` is missing, and InputError if
 * a file cannot be read.
 */
export async function verifyAgainstLog(plan: Plan, args: Args, io: Io): Promise<number> {
  const run = args.text("run");
  if (run === undefined) {
    throw new UsageError(
      "--log needs a run to compare with: add `--run FILE`, with a summary from `rehearse run --summary-export`",
    );
  }
  const summary = await readSummary(run, io);
  const statuses = new StatusClassTotals();
  const found = compareWithLog(
    plan,
    summary,
    await buildProfile(args.all("log"), statuses, io),
    statuses,
  );
  const loadPage = async () => (await import("./pages.ts")).logComparisonPage;
  io.stdout.write(await formatFindings(found, args, logComparisonText, loadPage));
  return found.asTheLog ? 0 : 1;
}

async function buildProfile(
  paths: readonly string[],
  statuses: StatusClassTotals,
  io: Io,
): Promise<TrafficProfile> {
  const line = progressLine(io.stderr);
  using opened = await openInputs(paths, io.stdin, () => "accesslog");
  printNotes(opened.repeated, "text", io);
  try {
    return await readLog(opened.inputs, { filters: [], collectors: [statuses] }, line.update);
  } finally {
    line.clear();
  }
}

/** Renders the findings in the format that `--format` specifies. */
async function formatFindings<Found>(
  found: Found,
  args: Args,
  text: (found: Found) => string,
  loadPage: () => Promise<(found: Found) => Promise<string>>,
): Promise<string> {
  switch (args.text("format")) {
    case "json":
      return safeJson(found) + "\n";
    case "html":
      return await (await loadPage())(found);
    default:
      return text(found);
  }
}
