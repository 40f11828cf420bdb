import type { Summary } from "../../../engine/summary/summary.ts";
import type { Chart } from "../chart.ts";
import { chartsOverTime, isOpen } from "../run_charts.ts";
import { type SecondPoint, secondRows } from "../timeline.ts";
import { endParts, type LiveNow, type Parts, runningParts } from "./live_parts.ts";

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
  const charts = chartsOverTime(shown, isOpen(scenarios));
  return {
    x: shown.map(({ at }) => at),
    lines: charts.map(({ series }) => series.map(({ values }) => values)),
  };
}
