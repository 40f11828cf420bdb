import { ChangeReader, changeSince, type RowChange } from "../engine/metrics/counts.ts";
import { metricRows } from "../engine/metrics/merge_snapshots.ts";
import type { CountRows, Family, Snapshot, TickReport } from "../engine/metrics/snapshot.ts";
import { secondData } from "../engine/metrics/timeline.ts";
import type { TimelinePoint } from "../engine/summary/summary.ts";
import type { MessageOf } from "./messages.ts";

/** Everything that a shard counted since its previous delta message. */
export type DeltaCounts = Omit<MessageOf<"delta">, "from" | "seq">;

/**
 * Computes the changes in a shard's counts. Each call to `tick` or `end` returns the changes since
 * the previous call, without counts that did not change.
 */
export class DeltaEncoder {
  readonly #changes = new ChangeReader();
  /** Seconds that have been sent. Their histograms are encoded to save memory. */
  readonly #seconds = new Map<number, TimelinePoint>();

  /**
   * Returns the changes during a one-second interval. `elapsedMs` is the time from the start of the
   * run to the end of the interval.
   */
  tick({ metrics, last, scenarios: live, details }: TickReport, elapsedMs: number): DeltaCounts {
    const rows = { ...details, live, metrics: metricRows(metrics) };
    return this.#delta(last.at, elapsedMs, [last], rows);
  }

  /** Returns the changes since the last interval, and corrections to earlier counts. */
  end({ durationMs, timeline, metrics, ...details }: Snapshot): DeltaCounts {
    const live = details.scenarios.map(({ name, iterations, interrupted, dropped }) => (
      { name, iterations, interrupted, dropped, vus: 0, atWork: 0 }
    ));
    const rows = { ...details, live, metrics: metricRows(metrics) };
    return this.#delta(timeline.at(-1)?.at ?? 0, durationMs, timeline, rows);
  }

  #delta(
    second: number,
    elapsed_ms: number,
    timeline: readonly TimelinePoint[],
    rows: { readonly [F in Family]?: readonly CountRows[F][] },
  ): DeltaCounts {
    const seconds = timeline.map((point) => this.#second(point)).filter((one) => one !== undefined);
    const changes = Object.entries(rows)
      .map(([family, rows]) => [family, this.#changes.take(family as Family, rows)] as const)
      .filter(([, changes]) => changes.length > 0);
    return { second, elapsed_ms, ...Object.fromEntries(changes), seconds };
  }

  #second(point: TimelinePoint): RowChange<"seconds"> | undefined {
    const sent = this.#seconds.get(point.at);
    if (sent === point) return undefined;
    this.#seconds.set(point.at, point);
    return changeSince("seconds", secondData(point), sent && secondData(sent));
  }
}
