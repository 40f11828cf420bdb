import { formatMs } from "../../base/duration.ts";
import { cutToWidth, textWidth } from "../../base/text_width.ts";
import type { Progress } from "../../engine/summary.ts";
import { count, percent, perSecond, time } from "../../report/text/units.ts";

/** Where parts do not fit, those with the lowest rank go first. */
interface Part {
  readonly text: string;
  readonly rank: number;
}

/**
 * One line about a run: elapsed and planned time, VUs, the rates of the last second, the failed share
 * so far, p(95) of the last second; `–` where there is no sample. In narrow windows the failed share
 * and p(95) are kept longest.
 */
export function progressWords(progress: Progress, columns = Infinity): string {
  let parts = partsOf(progress);
  while (parts.length > 1 && textWidth(joined(parts)) > columns) {
    const least = Math.min(...parts.map(({ rank }) => rank));
    parts = parts.filter(({ rank }) => rank > least);
  }
  return cutToWidth(joined(parts), columns);
}

function joined(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join("  ");
}

function partsOf(progress: Progress): Part[] {
  const { elapsedMs, plannedMs, vus, dropped, requests, unsent, failed, last } = progress;
  const asked = last.scheduled > 0 ? ` of ${perSecond(last.scheduled)}` : "";
  const all = requests + unsent;
  return [
    { text: `${formatMs(elapsedMs)} of ${formatMs(plannedMs)}`, rank: 5 },
    { text: `${count(vus)} VUs`, rank: 1 },
    { text: `${perSecond(last.started)}${asked} iterations`, rank: 3 },
    { text: `${perSecond(last.requests)} requests`, rank: 2 },
    { text: `${all > 0 ? percent(failed / all) : "–"} failed`, rank: 7 },
    { text: `p(95) ${last.requests > 0 ? time(last.p95) : "–"}`, rank: 6 },
    ...(dropped > 0 ? [{ text: `${count(dropped)} dropped`, rank: 4 }] : []),
  ];
}
