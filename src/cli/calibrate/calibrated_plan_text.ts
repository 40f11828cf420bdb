import { plural } from "../../base/format.ts";
import { safeText } from "../../base/safe_text.ts";
import { amendPlanText } from "../../plan/edits/amend_plan.ts";
import { checkPlan } from "../../plan/check_plan.ts";
import { printPlan } from "../../plan/print.ts";
import { formatPath } from "../../plan/rules/diagnostic.ts";
import { isGood } from "../../calibrate/verdicts.ts";
import { reservations, roundText } from "./verdict_line.ts";
import { withPauseComments } from "./pause_comments.ts";
import { insertPauses } from "../../calibrate/flow_edits.ts";
import type { CalibratedPlan } from "../../calibrate/calibration.ts";

const MARK = "Calibrated against ";
/** Matches a line that an earlier calibration added. */
const EARLIER = new RegExp(`^# ?${MARK}.*(?:\\r?\\n|$)`, "gm");

/** A calibrated plan as YAML. */
export interface CalibratedPlanText {
  readonly text: string;
  /**
   * True if the text of the given plan was edited in place, which keeps its comments. False if the
   * whole plan was formatted again.
   */
  readonly isKept: boolean;
}

/**
 * Formats a calibrated plan as YAML. Edits `source`, the text of the given plan, without changing
 * the text of unchanged parts, and adds a line with the result at the top. If `source` cannot be
 * edited, formats the whole plan, and keeps only the comment at the top. Throws Error if the plan
 * is invalid, which means that the calibration has a bug. Returns `source` if the given plan did
 * better than the repaired one.
 */
export function calibratedPlanText(
  { plan, unpaused, calibration }: CalibratedPlan,
  source: string,
): CalibratedPlanText {
  if (calibration.kept === "given") return { text: source, isKept: true };
  const { proven, target, calls, rounds, pauses, possiblePauses } = calibration;
  const all = [...pauses, ...possiblePauses];
  const good = calls.filter(isGood).length;
  const result =
    `${MARK}${target}: ${proven ? "proven, " : ""}${good} of ${plural(calls.length, "call")} as ` +
    `recorded ${roundText(rounds.at(-1)!)}${reservations(calibration)}.`;
  let amended = amendPlanText(source, unpaused);
  // Adding one pause at a time keeps the text of the steps around it.
  for (let count = 1; count <= all.length && amended !== undefined; count++) {
    amended = amendPlanText(amended, insertPauses(unpaused, all.slice(0, count)));
  }
  const whole = amended === undefined
    ? printPlan(plan, [result, ...topComment(source).filter((line) => !line.startsWith(MARK))])
    : withResult(amended, result);
  const text = withPauseComments(whole, plan, pauses, possiblePauses);
  const faults = checkPlan(plan).filter(({ severity }) => severity === "error");
  if (faults.length === 0) return { text, isKept: amended !== undefined };
  const reasons = faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);
  throw new Error(`the calibrated plan is invalid: ${reasons.join("; ")}`);
}

/**
 * Adds a comment with the result at the top of a plan. Replaces the comment of an earlier
 * calibration.
 */
function withResult(text: string, result: string): string {
  const [, mark, top, rest] = /^(\ufeff?)((?:#.*(?:\r?\n|$))*)([^]*)$/.exec(text)!;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const others = top.replace(EARLIER, "");
  const gap = others === "" && top === "" ? newline : "";
  return `${mark}# ${safeText(result)}${newline}${gap}${others}${rest}`;
}

/** Returns the comment lines at the top of a plan, without the leading `# `. */
function topComment(source: string): string[] {
  const lines = source.replace(/^\ufeff/, "").split(/\r?\n/);
  const end = lines.findIndex((line) => !line.startsWith("#"));
  return lines.slice(0, end < 0 ? lines.length : end).map((line) => line.replace(/^# ?/, ""));
}
