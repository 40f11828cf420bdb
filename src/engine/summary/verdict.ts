import type { Summary } from "./summary.ts";
import type { Ending } from "./codes.ts";

/** Reports whether a run was aborted by a threshold or assertion. */
export function isAborted(ending: Ending): boolean {
  return ending === "threshold" || ending === "assertion";
}

/**
 * Returns true if a run passed and false if it failed. Returns null if this is unknown: the run is
 * incomplete, has no thresholds, or its thresholds were not evaluated.
 */
export function runPassed(
  { thresholds, ending, accepted, failure }: Pick<
    Summary,
    "thresholds" | "ending" | "accepted" | "failure"
  >,
): boolean | null {
  if (failure !== undefined) return false;
  if (thresholds.some(({ passed }) => passed === false) || isAborted(ending)) return false;
  const isComplete = ending === "finished" && accepted.length === 0;
  const isEvaluated = thresholds.length > 0 && thresholds.every(({ passed }) => passed);
  return isComplete && isEvaluated ? true : null;
}
