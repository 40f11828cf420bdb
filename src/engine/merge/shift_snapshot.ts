import type { Snapshot } from "../metrics/snapshot.ts";
import { shiftSeries } from "../metrics/endpoint_series.ts";

/**
 * Returns the snapshot of a shard as if the run had started `ms` milliseconds earlier. It aligns
 * the timelines of shards that started at different times. Timelines and series move by whole
 * seconds.
 */
export function shiftSnapshot(snapshot: Snapshot, ms: number): Snapshot {
  const seconds = Math.round(ms / 1_000);
  return {
    ...snapshot,
    durationMs: snapshot.durationMs + ms,
    timeline: snapshot.timeline.map((point) => ({ ...point, at: point.at + seconds })),
    endpoints: snapshot.endpoints.map(({ series, ...endpoint }) => ({
      ...endpoint,
      ...(series && { series: shiftSeries(series, seconds) }),
    })),
  };
}
