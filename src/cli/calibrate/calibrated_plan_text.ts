import { plural } from "../../base/format.ts";
import { checkPlan } from "../../plan/check_plan.ts";
import { printPlan } from "../../plan/print.ts";
import { formatPath } from "../../plan/rules/diagnostic.ts";
import { loadSyntaxChecks } from "../../plan/syntax_checks.ts";
import { isGood } from "../../verify/calibrate/build_calibration.ts";
import type { CalibratedPlan } from "../../verify/calibrate/calibration.ts";

const MARK = "Calibrated against ";

/**
 * Formats a calibrated plan as YAML. Keeps the comment at the top of `source`, the text of the given
 * plan, and adds a line with the result. Throws Error if the plan is invalid, which means that the
 * calibration has a bug.
 */
export async function calibratedPlanText(
  { plan, calibration }: CalibratedPlan,
  source: string,
): Promise<string> {
  const { proven, target, calls, rounds } = calibration;
  const { users, iterations } = rounds.at(-1)!;
  const good = calls.filter(isGood).length;
  const header = topComment(source).filter((line) => !line.startsWith(MARK));
  const text = printPlan(plan, [
    `${MARK}${target}: ${proven ? "proven, " : ""}${good} of ${plural(calls.length, "call")} as ` +
    `recorded, ${plural(iterations, "iteration")}, ${plural(users, "user")}.`,
    ...header,
  ]);
  const faults = checkPlan(plan, { syntax: await loadSyntaxChecks(text) })
    .filter(({ severity }) => severity === "error");
  if (faults.length === 0) return text;
  const reasons = faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);
  throw new Error(`the calibrated plan is invalid: ${reasons.join("; ")}`);
}

/** Returns the comment lines at the start of a plan, without the leading `# `. */
function topComment(source: string): string[] {
  const lines = source.replace(/^\ufeff/, "").split(/\r?\n/);
  const end = lines.findIndex((line) => !line.startsWith("#"));
  return lines.slice(0, end < 0 ? lines.length : end).map((line) => line.replace(/^# ?/, ""));
}
