import type { Summary } from "../../engine/summary/summary.ts";
import { runWarnings } from "../run_warnings.ts";
import {
  checkFailure,
  failureReason,
  groupPath,
  incompleteness,
  verdictDoubts,
} from "../summary_words.ts";
import { plural } from "../../base/format.ts";
import { safeText } from "../../base/safe_text.ts";

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

/** Properties of an annotation, such as `file` and `line`. Undefined properties are omitted. */
export type AnnotationProperties = Readonly<Record<string, string | number | undefined>>;

/**
 * Formats the workflow command that adds an annotation to a GitHub job. Escapes the message and the
 * properties, so that recorded text is safe to print.
 */
export function annotation(
  severity: "error" | "warning" | "notice",
  properties: AnnotationProperties,
  message: string,
): string {
  const list = Object.entries(properties).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`).join(",");
  return `::${severity} ${list}::${escapeData(message)}\n`;
}

function escapeData(text: string): string {
  return safeText(text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A"));
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
