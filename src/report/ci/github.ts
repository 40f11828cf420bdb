import type { Summary } from "../../engine/summary/summary.ts";
import { annotation } from "./annotation.ts";
import { incompleteness, runWarnings } from "../run_warnings.ts";

import { count, plural } from "../../base/format.ts";
import { unmet, within } from "../summary_words.ts";

/**
 * Formats a run as annotations of a GitHub job. A failed run and each failed threshold are errors. Each
 * failed check and each warning about the run is a warning. Without any of these, there is a notice.
 */
export function githubAnnotations(summary: Summary, file: string): string {
  const { thresholds, checks, name, failure } = summary;
  const whole = failure === undefined
    ? []
    : [annotation("error", { file, title: "Run failed" }, failure)];
  const broken = thresholds.filter(({ passed }) => passed === false).map((verdict) =>
    annotation(
      "error",
      { file, title: "Threshold failed" },
      `${verdict.metric}: ${unmet(verdict)}`,
    )
  );
  const failed = checks.filter(({ fails }) => fails > 0).map((check) =>
    annotation(
      "warning",
      { file, title: "Check failed" },
      `${within(check.scenario, check.group)}: ${check.name}: failed ${count(check.fails)} of ${
        plural(check.passes + check.fails, "time")
      }`,
    )
  );
  const doubts = runWarnings(summary).map(({ scenario, text }) =>
    annotation(
      "warning",
      { file, title: "Load" },
      scenario === undefined ? text : `${scenario}: ${text}`,
    )
  );
  const all = [...whole, ...broken, ...failed, ...doubts];
  if (all.length > 0) return all.join("");
  const passed = thresholds.length > 0 ? `${plural(thresholds.length, "threshold")} passed` : "";
  const incomplete = incompleteness(summary).join("; ");
  return annotation(
    "notice",
    { file, title: name || "rehearse" },
    incomplete || passed || "no thresholds",
  );
}
