import { formatMs } from "../../base/duration.ts";
import type { Progress } from "../../engine/summary.ts";
import { count, percent, perSecond, time } from "../../report/text/units.ts";

/** Elapsed and planned time, VUs, the last second's rates, errors of all so far, the last second's p(95). */
export function progressWords(progress: Progress): string {
  const { elapsedMs, plannedMs, vus, dropped, requests, failed, last } = progress;
  const asked = last.asked > 0 ? ` of ${perSecond(last.asked)}` : "";
  return [
    `${formatMs(elapsedMs)} of ${formatMs(plannedMs)}`,
    `${count(vus)} VUs`,
    `${perSecond(last.started)}${asked} iterations`,
    `${perSecond(last.requests)} requests`,
    `${percent(requests === 0 ? 0 : failed / requests)} failed`,
    `p(95) ${time(last.p95)}`,
    ...(dropped > 0 ? [`${count(dropped)} dropped`] : []),
  ].join("  ");
}
