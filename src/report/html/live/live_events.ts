import type { Summary } from "../../../engine/summary.ts";
import type { Chart } from "../chart.ts";
import { chartsOverTime, isOpen } from "../run_charts.ts";
import { type SecondPoint, secondRows } from "../timeline.ts";
import { endParts, type LiveNow, type Parts, runningParts } from "./live_parts.ts";

/** What is drawn: the places on the axis, and by chart and line what stands there. */
export interface Drawn {
  readonly x: readonly number[];
  readonly lines: readonly (readonly Chart["series"][number]["values"][])[];
}

/** What a page that looks on is told; with `points`, they are more of the same or, at first, all. */
export interface LiveEvent {
  readonly kind: "state" | "tick" | "end";
  readonly parts: Parts;
  readonly drawn: Drawn;
}

/** All that is known until now, for a page that was just opened or has missed something. */
export function stateEvent(now: LiveNow, points: readonly SecondPoint[]): LiveEvent {
  return {
    kind: "state",
    parts: runningParts(now),
    drawn: drawn(points, now.progress.scenarios),
  };
}

/** The last second. */
export function tickEvent(now: LiveNow): LiveEvent {
  return { ...stateEvent(now, [now.progress.last]), kind: "tick" };
}

/** The end, with all that was. */
export function endEvent(summary: Summary): LiveEvent {
  return {
    kind: "end",
    parts: endParts(summary),
    drawn: drawn(summary.timeline, summary.scenarios),
  };
}

/** An event as it is sent to a browser. */
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
