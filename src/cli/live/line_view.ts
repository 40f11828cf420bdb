import { count, percent, perSecond, plural, time } from "../../base/format.ts";
import { cutToWidth, textWidth } from "../../base/safe_text.ts";
import type { Progress } from "../../engine/progress.ts";
import { describeElapsed } from "../../report/live_metrics.ts";
import type { Sink } from "../system/io.ts";

/** View of a run in progress on standard error. */
export interface LiveView {
  /** Shows new progress. Call it about once per second. */
  update(progress: Progress): void;
  /** Shows a line of text, such as how to stop the run. */
  showNote(text: string): void;
  /** Removes the view. Call it before anything else is written to standard error. */
  close(): void;
}

const LINE_EVERY_MS = 10_000;

/**
 * Creates a view that prints a progress line every ten seconds, for outputs that are not terminals.
 */
export function lineView(sink: Sink): LiveView {
  let next = LINE_EVERY_MS;
  return {
    update(progress) {
      if (progress.elapsedMs < next) return;
      next = (Math.floor(progress.elapsedMs / LINE_EVERY_MS) + 1) * LINE_EVERY_MS;
      sink.write(`${formatProgress(progress)}\n`);
    },
    showNote: (text) => sink.write(`${text}\n`),
    close() {},
  };
}

/**
 * Part of a progress line. If the line is too long, parts are dropped in ascending order of rank.
 */
interface Part {
  readonly text: string;
  readonly rank: number;
}

/**
 * Formats the progress of a run as one line. It contains the elapsed and planned time, the VUs, the
 * percentage of requests that have failed so far, and the number of dropped iterations, if any. For
 * the last second, it contains the iteration rate, the request rate and the 95th percentile of
 * response times (p95). If there are fewer than five iterations or requests per second on average,
 * it contains their number and their average rate since the start instead. `–` means that there was
 * no sample. If the line is longer than `columns`, parts are dropped; the percentage and p95 are
 * dropped last.
 */
export function formatProgress(progress: Progress, columns = Infinity): string {
  let parts = progressParts(progress);
  while (parts.length > 1 && textWidth(joined(parts)) > columns) {
    const least = Math.min(...parts.map(({ rank }) => rank));
    parts = parts.filter(({ rank }) => rank > least);
  }
  return cutToWidth(joined(parts), columns);
}

function joined(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join("  ");
}

function progressParts(progress: Progress): Part[] {
  const { vus, dropped, iterations, requests, unsent, failed, last, elapsedMs } = progress;
  const { time: elapsed, waiting } = describeElapsed(progress);
  const scheduled = last.scheduled > 0 ? ` of ${perSecond(last.scheduled)}` : "";
  const all = requests + unsent;
  return [
    { text: waiting === undefined ? elapsed : `${elapsed}: ${waiting}`, rank: 5 },
    { text: plural(vus, "VU"), rank: 1 },
    {
      text: slowRate(iterations, elapsedMs, "iteration") ??
        `${perSecond(last.started)}${scheduled} iterations`,
      rank: 3,
    },
    {
      text: slowRate(requests, elapsedMs, "request") ?? `${perSecond(last.requests)} requests`,
      rank: 2,
    },
    { text: `${all > 0 ? percent(failed / all) : "–"} failed`, rank: 7 },
    { text: `p95 ${last.requests > 0 ? time(last.p95) : "–"}`, rank: 6 },
    ...(dropped > 0 ? [{ text: `${count(dropped)} dropped`, rank: 4 }] : []),
  ];
}

/** Average rate per second below which the counts of single seconds are not meaningful. */
const SLOW_RATE = 5;

/**
 * Formats the number of events since the start and their average rate, such as
 * `3 iterations (0.25/s)`. Returns undefined if the rate of the last second is meaningful, because
 * the average rate is at least five per second.
 */
function slowRate(events: number, elapsedMs: number, noun: string): string | undefined {
  const rate = events / (elapsedMs / 1_000);
  if (!(rate < SLOW_RATE)) return undefined;
  return `${plural(events, noun)} (${perSecond(Number(rate.toPrecision(2)))})`;
}
