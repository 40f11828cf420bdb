import { formatMs } from "../../base/duration.ts";
import { isAborted } from "../../engine/summary/verdict.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { textWidth } from "../../base/text_width.ts";
import { incompleteness } from "../run_warnings.ts";
import { ENDINGS } from "../summary_words.ts";
import { fit, type Style } from "./layout.ts";
import { plural } from "../../base/format.ts";

/**
 * Returns the last lines of a report: why the run is incomplete, its name and ending, and the verdict.
 */
export function verdictLines(summary: Summary, style: Style): string[] {
  const { ending, duration_ms, name, seed, accepted } = summary;
  const reasons = incompleteness(summary).map((reason) =>
    style.bad(fit(accepted.length > 0 ? `incomplete run: ${reason}` : reason, style.width))
  );
  const how = fit(`${ENDINGS[ending]} ${formatMs(duration_ms)}, seed ${seed}`, style.width);
  const title = fit(name, style.width);
  const inOne = title === "" ? how : `${title}: ${how}`;
  const run = textWidth(inOne) <= style.width ? [inOne] : [title, how];
  const [text, paint] = judged(summary, style);
  return [...reasons, ...run, paint(text)];
}

function judged(summary: Summary, style: Style): [string, (text: string) => string] {
  const { thresholds, ending, passed, failure, accepted, shards } = summary;
  const failed = thresholds.filter(({ passed }) => passed === false).length;
  const all = plural(thresholds.length, "threshold");
  if (failure !== undefined) {
    const others = failed > 0 ? `; ${failed} of ${all} failed` : "";
    return [`✗ FAILED: ${failure}${others}`, style.bad];
  }
  if (failed > 0) return [`✗ FAILED ${failed} of ${all}`, style.bad];
  if (passed) return [`✓ PASSED ${all}`, style.good];
  if (isAborted(ending)) return ["✗ FAILED: aborted", style.bad];
  if (accepted.length > 0) return ["INCOMPLETE", style.strong];
  if (ending === "interrupted") return ["INTERRUPTED", style.strong];
  if (thresholds.length === 0) return ["DONE, no thresholds", style.strong];
  return [`SHARD ${fit(shards[0].shard, 15)}, ${all} not evaluated`, style.strong];
}
