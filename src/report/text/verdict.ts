import { formatMs } from "../../base/duration.ts";
import { isAborted } from "../../engine/metrics/verdict.ts";
import type { Ending, Summary } from "../../engine/summary.ts";
import { incompleteness } from "../incompleteness.ts";
import { fit } from "./fit.ts";
import type { Style } from "./style.ts";
import { plural } from "./units.ts";

/** How a run ended, in words that its duration follows. */
export const ENDINGS: Readonly<Record<Ending, string>> = {
  finished: "ran",
  interrupted: "interrupted after",
  threshold: "ended by a threshold after",
  assertion: "ended by an assertion after",
};

/**
 * Returns the last line: whether the thresholds passed, how the run ended, and its name if there is
 * room. Each reason why the run is incomplete is a line before it.
 */
export function verdict(summary: Summary, style: Style): string {
  const { ending, duration_ms, name, seed, accepted } = summary;
  const reasons = incompleteness(summary).map((reason) =>
    style.bad(fit(accepted.length > 0 ? `incomplete run: ${reason}` : reason, style.width)) + "\n"
  );
  const [text, paint] = judged(summary, style);
  const how = fit(
    `${ENDINGS[ending]} ${formatMs(duration_ms)}, seed ${seed}`,
    style.width - text.length - 2,
  );
  const room = style.width - text.length - how.length - 4;
  const title = name === "" || room < 8 ? "" : `${fit(name, room)}: `;
  return `${reasons.join("")}${paint(text)}  ${title}${how}`;
}

function judged(summary: Summary, style: Style): [string, (text: string) => string] {
  const { thresholds, ending, passed, accepted, shards } = summary;
  const failed = thresholds.filter(({ passed }) => passed === false).length;
  const all = plural(thresholds.length, "threshold");
  if (failed > 0) return [`✗ FAILED ${failed} of ${all}`, style.bad];
  if (passed) return [`✓ PASSED ${all}`, style.good];
  if (isAborted(ending)) return ["✗ FAILED: aborted", style.bad];
  if (accepted.length > 0) return ["INCOMPLETE", style.strong];
  if (ending === "interrupted") return ["INTERRUPTED", style.strong];
  if (thresholds.length === 0) return ["DONE, no thresholds", style.strong];
  return [`SHARD ${fit(shards[0].shard, 15)}, ${all} not judged`, style.strong];
}
