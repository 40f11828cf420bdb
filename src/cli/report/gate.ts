import { safeText } from "../../base/safe_text.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import type { RunChange } from "../../report/compare/compare_runs.ts";
import { type ComparedRun, partialReasons } from "../../report/compare/run_differences.ts";
import { EXIT } from "../command/exit_codes.ts";

/** Conditions that `--fail-on` accepts. */
export const FAIL_ON = ["slower", "failed"] as const;

/** Condition that `--fail-on` accepts. */
export type FailOn = typeof FAIL_ON[number];

/** Exit code for a condition, and a line that states the reason. */
export interface GateResult {
  readonly code: number;
  /**
   * Line that states the reason for the exit code. Absent if the verdict of the comparison already
   * states the reason.
   */
  readonly line?: string;
}

/**
 * Evaluates `--fail-on slower`. The exit code is 99 if the last run is worse than the runs it is
 * compared with, 1 if this is unknown, otherwise 0.
 */
export function gateChange(change: RunChange): GateResult {
  if (change === "worse") return { code: EXIT.THRESHOLDS };
  return { code: change === "not comparable" ? EXIT.FAILED : EXIT.OK };
}

/**
 * Evaluates `--fail-on failed`. The exit code is 99 if the last run failed, 4 if it did less than
 * planned, 1 if the result is unknown, and 0 if it passed.
 */
export function gateResult({ file, summary }: ComparedRun): GateResult {
  const { passed, failure, ending, thresholds, incomplete } = summary;
  const state = (verdict: string, reason: string) =>
    safeText(`${verdict}: ${file}: ${reason}`) + "\n";
  if (passed === true) return { code: EXIT.OK, line: state("passed", "all thresholds passed") };
  if (passed === null && incomplete !== undefined) {
    return { code: EXIT.INCOMPLETE, line: state("incomplete", incomplete.join("; ")) };
  }
  if (passed === null) {
    return {
      code: EXIT.FAILED,
      line: state("unknown whether the run passed", unknownReason(summary)),
    };
  }
  const broken = thresholds.filter(({ passed }) => passed === false).length;
  const reason = failure ??
    (broken > 0 ? `${broken} of ${thresholds.length} thresholds failed` : ending);
  return { code: EXIT.THRESHOLDS, line: state("failed", reason) };
}

function unknownReason(summary: Summary): string {
  const [reason] = partialReasons(summary);
  if (reason !== undefined) return reason;
  return summary.thresholds.length === 0
    ? "it has no thresholds"
    : "its thresholds were not evaluated";
}

/**
 * Returns the combined exit code of several conditions: the highest one.
 */
export function worstCode(results: readonly GateResult[]): number {
  return Math.max(EXIT.OK, ...results.map(({ code }) => code));
}
