import type { Summary } from "../../../engine/summary/summary.ts";
import type { Chart } from "../chart.ts";
import { chartsOverTime } from "../run_charts.ts";
import { hasOpenModel } from "../../live_metrics.ts";
import { mergePoints, type SecondPoint, secondRows } from "../timeline.ts";
import { endParts, type LiveNow, type Parts, runningParts } from "./live_page.ts";

/** Maximum number of points, as in a report: one per second for an hour. */
const MOST = 3_600;

/** Timeline of a run in progress with bounded memory: merges older points when full. */
export class LiveHistory {
  #points: SecondPoint[] = [];

  /** The points so far, in order. */
  get points(): readonly SecondPoint[] {
    return this.#points;
  }

  /** Adds a point. Returns true if this merged older points. */
  add(point: SecondPoint): boolean {
    const full = this.#points.length >= MOST;
    if (full) {
      this.#points = Array.from(
        { length: Math.ceil(MOST / 2) },
        (_, i) => mergePoints(this.#points.slice(2 * i, 2 * i + 2)),
      );
    }
    this.#points.push(point);
    return full;
  }
}

/** Chart data: the points of the axis, and the values of each line of each chart. */
export interface Drawn {
  readonly x: readonly number[];
  readonly lines: readonly (readonly Chart["series"][number]["values"][])[];
}

/** An event for a live page. A `tick` adds points to the charts; the others replace all points. */
export interface LiveEvent {
  readonly kind: "state" | "tick" | "end";
  readonly parts: Parts;
  readonly drawn: Drawn;
}

/** Creates the event with the whole state, for a page that was just opened or missed an event. */
export function stateEvent(now: LiveNow, points: readonly SecondPoint[]): LiveEvent {
  return {
    kind: "state",
    parts: runningParts(now),
    drawn: drawn(points, now.progress.scenarios),
  };
}

/** Creates the event with the last second only. */
export function tickEvent(now: LiveNow): LiveEvent {
  return { ...stateEvent(now, [now.progress.last]), kind: "tick" };
}

/** Creates the event that ends the stream, with the full summary. */
export function endEvent(summary: Summary): LiveEvent {
  return {
    kind: "end",
    parts: endParts(summary),
    drawn: drawn(summary.timeline, summary.scenarios),
  };
}

/** Formats an event as a server-sent event. */
export function eventText({ kind, ...data }: LiveEvent): string {
  return `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

function drawn(
  points: readonly SecondPoint[],
  scenarios: readonly { readonly executor: string }[],
): Drawn {
  const shown = secondRows(points);
  const charts = chartsOverTime(shown, hasOpenModel(scenarios));
  return {
    x: shown.map(({ at }) => at),
    lines: charts.map(({ series }) => series.map(({ values }) => values)),
  };
}
