import type { Summary } from "../../engine/summary/summary.ts";
import type { Chart } from "./chart.ts";
import { chartsOverTime } from "./run_charts.ts";
import { hasOpenModel } from "../live_metrics.ts";
import { mergePoints, type SecondPoint, secondRows } from "./series.ts";
import { endParts, type LiveNow, type Parts, runningParts } from "./live_page.ts";

/** Maximum number of points in the timeline: one per second for an hour, as in a report. */
const MAX_POINTS = 3_600;

/**
 * Timeline of a run in progress. When it is full, it merges pairs of adjacent points, so that its
 * size is bounded.
 */
export class LiveHistory {
  #points: SecondPoint[] = [];

  /** Points since the start of the run, in order. */
  get points(): readonly SecondPoint[] {
    return this.#points;
  }

  /** Adds a point. Returns true if older points were merged. */
  add(point: SecondPoint): boolean {
    const full = this.#points.length >= MAX_POINTS;
    if (full) {
      this.#points = Array.from(
        { length: Math.ceil(MAX_POINTS / 2) },
        (_, i) => mergePoints(this.#points.slice(2 * i, 2 * i + 2)),
      );
    }
    this.#points.push(point);
    return full;
  }
}

/**
 * Points of the charts: the x-values that all charts share, and the values of each line, chart by
 * chart.
 */
export interface ChartPoints {
  readonly x: readonly number[];
  readonly lines: readonly (readonly Chart["series"][number]["values"][])[];
}

/**
 * An event for the page of a run in progress. A `tick` adds points to the charts. A `state` or
 * `end` replaces all points.
 */
export interface LiveEvent {
  readonly kind: "state" | "tick" | "end";
  readonly parts: Parts;
  readonly drawn: ChartPoints;
}

/**
 * Creates an event with the complete state, for a page that was just opened or that missed an
 * event.
 */
export function stateEvent(now: LiveNow, points: readonly SecondPoint[]): LiveEvent {
  return {
    kind: "state",
    parts: runningParts(now),
    drawn: drawn(points, now.progress.scenarios),
  };
}

/** Creates an event that adds the last one-second interval to the page. */
export function tickEvent(now: LiveNow): LiveEvent {
  return { ...stateEvent(now, [now.progress.last]), kind: "tick" };
}

/** Creates the last event, with the summary of the run. */
export function endEvent(summary: Summary): LiveEvent {
  return {
    kind: "end",
    parts: endParts(summary),
    drawn: drawn(summary.timeline, summary.scenarios, summary.duration_ms),
  };
}

/** Serializes an event as a server-sent event. */
export function eventText({ kind, ...data }: LiveEvent): string {
  return `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

function drawn(
  points: readonly SecondPoint[],
  scenarios: readonly { readonly executor: string }[],
  durationMs?: number,
): ChartPoints {
  const shown = secondRows(points, durationMs);
  const charts = chartsOverTime(shown, hasOpenModel(scenarios));
  return {
    x: shown.map(({ at }) => at),
    lines: charts.map(({ series }) => series.map(({ values }) => values)),
  };
}
