import { formatMs } from "../../base/duration.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import type { Ending, Summary } from "../../engine/summary.ts";
import type { Style } from "./style.ts";
import { plural } from "./units.ts";

const ENDINGS: Readonly<Record<Ending, string>> = {
  finished: "ran",
  interrupted: "interrupted after",
  threshold: "ended by a threshold after",
  assertion: "ended by an assertion after",
};

/** The last line: whether the thresholds held, and how the run ended. */
export function verdict(summary: Summary, style: Style): string {
  const { ending, duration_ms, seed, shares } = summary;
  const part = shares.length === 1 && shares[0] !== "1/1" ? `, share ${shares[0]} only` : "";
  const how = `${ENDINGS[ending]} ${formatMs(duration_ms)}, seed ${seed}${part}`;
  const name = summary.name === "" ? "" : `${safeSnippet(summary.name, 24)}: `;
  return `${judged(summary, style)}  ${name}${how}`;
}

function judged({ thresholds, ending }: Summary, style: Style): string {
  const failed = thresholds.filter(({ passed }) => !passed).length;
  if (failed > 0) {
    return style.bad(`✗ FAILED ${failed} of ${plural(thresholds.length, "threshold")}`);
  }
  if (thresholds.length === 0) {
    return style.strong(`${ending === "finished" ? "DONE" : "STOPPED"}, no thresholds`);
  }
  return style.good(`✓ PASSED ${plural(thresholds.length, "threshold")}`);
}
