import type { Summary } from "../../engine/summary/summary.ts";
import { annotation } from "./annotation.ts";
import { runWarnings } from "../run_warnings.ts";
import { incompleteness, verdictDoubts } from "../verdict_doubts.ts";
import { plural } from "../../base/format.ts";
import { checkFailure, failureReason, groupPath } from "../summary_words.ts";

/**
 * Formats a run as annotations on a GitHub job: an error if the run failed as a whole, an error for
 * each reason why it is incomplete and for each failed threshold, and a warning for each failed check and each warning about the run. If
 * there are no errors or warnings, returns a single notice.
 */
export function githubAnnotations(summary: Summary, file: string): string {
  const { thresholds, checks, name, failure, incomplete: fewer = [] } = summary;
  const whole = failure === undefined
    ? []
    : [annotation("error", { file, title: "Run failed" }, failure)];
  const missing = fewer.map((reason) =>
    annotation("error", { file, title: "Run incomplete" }, reason)
  );
  const broken = thresholds.filter(({ passed }) => passed === false).map((verdict) =>
    annotation(
      "error",
      { file, title: "Threshold failed" },
      `${verdict.metric}: ${failureReason(verdict)}`,
    )
  );
  const failed = checks.filter(({ fails }) => fails > 0).map((check) =>
    annotation(
      "warning",
      { file, title: "Check failed" },
      `${groupPath(check.scenario, check.group)}: ${check.name}: ${checkFailure(check)}`,
    )
  );
  const doubts = runWarnings(summary).map(({ scenario, text }) =>
    annotation(
      "warning",
      { file, title: "Load" },
      scenario === undefined ? text : `${scenario}: ${text}`,
    )
  );
  const all = [...whole, ...missing, ...broken, ...failed, ...doubts];
  if (all.length > 0) return all.join("");
  const isEvaluated = thresholds.every(({ passed }) => passed !== null);
  const result = thresholds.length > 0
    ? `${plural(thresholds.length, "threshold")} ${isEvaluated ? "passed" : "not evaluated"}`
    : "no thresholds";
  const incomplete = incompleteness(summary).join("; ");
  return annotation(
    "notice",
    { file, title: name || "rehearse" },
    [incomplete || result, ...verdictDoubts(summary)].join("; "),
  );
}
