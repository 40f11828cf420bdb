import { UsageError } from "../../base/errors.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { StatusClassTotals } from "../../verify/log/status_class_counts.ts";
import { compareWithLog } from "../../verify/log/compare_with_log.ts";
import type { Args } from "../command/command.ts";
import { readLog } from "../input/read_log.ts";
import type { Io } from "../system/io.ts";
import { openInputs } from "../input/open_inputs.ts";
import { printNotes } from "../output/print_notes.ts";
import { progressLine } from "../output/progress_line.ts";
import { readSummary } from "../input/read_summary.ts";
import { logComparisonText } from "./log_comparison_text.ts";
import { formatFindings } from "./format_findings.ts";

/** Reports how a run of `plan` compares with the log. Returns the exit code. Throws UsageError and InputError. */
export async function verifyAgainstLog(plan: Plan, args: Args, io: Io): Promise<number> {
  const run = args.text("run");
  if (run === undefined) {
    throw new UsageError(
      "--log needs a run to compare with: add --run FILE, a summary from `rehearse run --summary-export`",
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
