import type { Snapshot } from "./snapshot.ts";
import { shiftSeries } from "./endpoint_series.ts";

/**
 * Returns the snapshot of a shard relative to a start `ms` earlier, so that shards that started at
 * different times can be added up by second. Rounds to whole seconds.
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
