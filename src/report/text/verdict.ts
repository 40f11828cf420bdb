import { formatMs } from "../../base/duration.ts";
import type { Ending, Summary } from "../../engine/summary.ts";
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

/** The last line: whether the thresholds held, and how the run ended; its name where there is room. */
export function verdict(summary: Summary, style: Style): string {
  const { ending, duration_ms, name, seed, shares } = summary;
  const part = shares.length === 1 && shares[0] !== "1/1" ? `, share ${shares[0]} only` : "";
  const [text, paint] = judged(summary, style);
  const how = fit(
    `${ENDINGS[ending]} ${formatMs(duration_ms)}, seed ${seed}${part}`,
    style.width - text.length - 2,
  );
  const room = style.width - text.length - how.length - 4;
  const title = name === "" || room < 8 ? "" : `${fit(name, room)}: `;
  return `${paint(text)}  ${title}${how}`;
}

function judged({ thresholds, ending }: Summary, style: Style): [string, (text: string) => string] {
  const failed = thresholds.filter(({ passed }) => !passed).length;
  const all = plural(thresholds.length, "threshold");
  if (failed > 0) return [`✗ FAILED ${failed} of ${all}`, style.bad];
  if (thresholds.length > 0) return [`✓ PASSED ${all}`, style.good];
  return [`${ending === "finished" ? "DONE" : "STOPPED"}, no thresholds`, style.strong];
}
