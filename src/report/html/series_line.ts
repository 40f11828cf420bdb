import type { EndpointSeries } from "../../engine/summary/summary.ts";
import { plural } from "../../base/plural.ts";
import { time } from "../text/units.ts";
import { html, type Markup } from "./markup.ts";

const WIDTH = 72;
const HEIGHT = 18;
const MARK = 3;

/**
 * Draws an endpoint's mean response time during the run as a small line, scaled to its maximum. Marks at
 * the bottom show failed requests. The line has gaps where there were no requests.
 */
export function seriesLine({ count, failed, avg }: EndpointSeries): Markup {
  const most = Math.max(...avg) || 1;
  const last = Math.max(1, count.length - 1);
  const line = count.map((n, i) => {
    if (n === 0) return "";
    const y = Math.round((1 - avg[i] / most) * (HEIGHT - 2)) + 1;
    // A point between two gaps is a dot: a line of length zero with round ends.
    return count[i - 1] > 0 ? `L${i} ${y}` : `M${i} ${y}h0`;
  });
  const marks = failed.map((n, i) => n > 0 ? `M${i} ${HEIGHT}v-${MARK}` : "");
  return html`
    <svg class="line" viewBox="0 0 ${last} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}"
      preserveAspectRatio="none" role="img">
      <title>${describeSeries(count, failed, avg)}</title>
      <path d="${line.join("")}" />
      <path class="marks" d="${marks.join("")}" />
    </svg>
  `;
}

function describeSeries(
  count: readonly number[],
  failed: readonly number[],
  avg: readonly number[],
): string {
  const times = avg.filter((_, i) => count[i] > 0);
  if (times.length === 0) return "no requests";
  const faults = failed.reduce((sum, n) => sum + n, 0);
  const range = `mean response time ${time(Math.min(...times))} to ${time(Math.max(...times))}`;
  return faults === 0 ? range : `${range}; ${plural(faults, "request")} failed`;
}
