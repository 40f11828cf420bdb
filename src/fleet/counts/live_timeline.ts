import { Histogram } from "../../base/histogram.ts";
import { mergeSeconds, timelinePoint } from "../../engine/metrics/timeline_point.ts";
import type { TimelinePoint } from "../../engine/summary/summary.ts";
import type { ReadDelta } from "./read_delta.ts";

/**
 * Age, in seconds, at which a one-second interval of the timeline is encoded to save memory. Shards
 * can still add counts to it later.
 */
const OPEN_SECONDS = 10;

/** Change in the counts for one second of the timeline. */
export type PointDelta = ReadDelta["points"][number];

interface OpenSecond {
  readonly counts: Omit<PointDelta, "histogram">;
  readonly histogram: Histogram;
}

/** Timeline of a run, to which shards add their counts in any order. */
export class LiveTimeline {
  readonly #open = new Map<number, OpenSecond>();
  readonly #closed = new Map<number, TimelinePoint>();
  #newest = 0;

  /** Adds the counts of a shard for one second. */
  add({ histogram, ...change }: PointDelta): void {
    const known = this.#open.get(change.at);
    const second = {
      counts: sum(known?.counts, change),
      histogram: known?.histogram ?? new Histogram(),
    };
    second.histogram.addBuckets(histogram);
    this.#open.set(change.at, second);
    if (change.at > this.#newest) this.#close(this.#newest = change.at);
  }

  /** Returns the counts so far for the given second of the run. */
  at(second: number): TimelinePoint {
    const parts = [this.#closed.get(second), this.#openPoint(second)];
    const known = parts.filter((part) => part !== undefined);
    return known.length > 0
      ? mergeSeconds(known)
      : toPoint(sum(undefined, none(second)), new Histogram());
  }

  /** Returns the counts of all seconds, in order of time. */
  points(): TimelinePoint[] {
    const seconds = new Set([...this.#closed.keys(), ...this.#open.keys()]);
    return [...seconds].sort((a, b) => a - b).map((second) => this.at(second));
  }

  #openPoint(second: number): TimelinePoint | undefined {
    const open = this.#open.get(second);
    return open && toPoint(open.counts, open.histogram);
  }

  #close(newest: number): void {
    for (const second of this.#open.keys()) {
      if (second > newest - OPEN_SECONDS) continue;
      this.#closed.set(second, this.at(second));
      this.#open.delete(second);
    }
  }
}

function toPoint(counts: OpenSecond["counts"], histogram: Histogram): TimelinePoint {
  return timelinePoint(counts, histogram);
}

function none(at: number): OpenSecond["counts"] {
  return { at, vus: 0, scheduled: 0, started: 0, dropped: 0, requests: 0, failed: 0, unsent: 0 };
}

function sum(known: OpenSecond["counts"] | undefined, change: OpenSecond["counts"]) {
  const before = known ?? none(change.at);
  return {
    at: change.at,
    vus: before.vus + change.vus,
    scheduled: before.scheduled + change.scheduled,
    started: before.started + change.started,
    dropped: before.dropped + change.dropped,
    requests: before.requests + change.requests,
    failed: before.failed + change.failed,
    unsent: before.unsent + change.unsent,
  };
}
