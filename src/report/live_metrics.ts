import type { Progress, TimelinePoint } from "../engine/summary.ts";
import { count, percent, perSecond, time } from "./text/units.ts";

/** A figure of a run that goes on. */
export interface LiveMetric {
  readonly label: string;
  /** Of the last second, and the number itself: a count, a share, ms. */
  readonly now: string;
  readonly value: number;
  /** What was asked for in that second, where something was. */
  readonly scheduled?: string;
  /** Of the run until now; empty where that says nothing. */
  readonly soFar: string;
  /** What it looks like over time: a key of the timeline's points. */
  readonly of: Exclude<keyof TimelinePoint, "at" | "histogram" | "unsent">;
  readonly bad?: boolean;
}

/** The figures that are looked for while a run goes on, those that matter most first. */
export function liveMetrics(progress: Progress): LiveMetric[] {
  const { last, times, iterations, requests, failed, unsent, dropped } = progress;
  const isOpen = progress.scenarios.some(({ executor }) => executor.endsWith("-arrival-rate"));
  const answered = last.requests > 0;
  const [now, soFar] = [last.requests + (last.unsent ?? 0), requests + unsent];
  const latency = (label: string, of: "p50" | "p95" | "p99"): LiveMetric => ({
    label,
    now: answered ? time(last[of]) : "–",
    value: last[of],
    soFar: requests > 0 ? time(times[of]) : "–",
    of,
  });
  return [
    {
      label: "Iterations",
      now: perSecond(last.started),
      value: last.started,
      ...(isOpen && { scheduled: `of ${perSecond(last.scheduled)}` }),
      soFar: count(iterations),
      of: "started",
    },
    {
      label: "Requests",
      now: perSecond(last.requests),
      value: last.requests,
      soFar: count(requests),
      of: "requests",
    },
    {
      label: "Failed",
      now: now > 0 ? percent(last.failed / now) : "–",
      value: now > 0 ? last.failed / now : 0,
      soFar: soFar > 0 ? percent(failed / soFar) : "–",
      of: "failed",
      bad: failed > 0,
    },
    latency("p(50)", "p50"),
    latency("p(95)", "p95"),
    latency("p(99)", "p99"),
    { label: "VUs", now: count(last.vus), value: last.vus, soFar: "", of: "vus" },
    ...(isOpen
      ? [{
        label: "Dropped",
        now: count(last.dropped),
        value: last.dropped,
        soFar: count(dropped),
        of: "dropped" as const,
        bad: dropped > 0,
      }]
      : []),
  ];
}
