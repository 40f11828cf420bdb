import type { Summary } from "../engine/summary.ts";
import { annotation } from "./annotation.ts";
import { incompleteness } from "./incompleteness.ts";
import { outcome } from "./text/thresholds.ts";
import { count, plural } from "./text/units.ts";
import { within } from "./within.ts";

/**
 * A run as annotations of a GitHub job: an error for each threshold that did not hold, a warning for
 * each check that failed, a notice when there is neither.
 */
export function githubAnnotations(summary: Summary, file: string): string {
  const { thresholds, checks, name } = summary;
  const broken = thresholds.filter(({ passed }) => passed === false).map((verdict) =>
    annotation(
      "error",
      { file, title: "Threshold did not hold" },
      `${verdict.metric}: ${verdict.expression} was asked, ${outcome(verdict)} came`,
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
  if (broken.length + failed.length > 0) return [...broken, ...failed].join("");
  const held = thresholds.length > 0 ? `${plural(thresholds.length, "threshold")} held` : "";
  const incomplete = incompleteness(summary).join("; ");
  return annotation(
    "notice",
    { file, title: name || "rehearse" },
    incomplete || held || "no thresholds",
  );
}
