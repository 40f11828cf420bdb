import type { MetricData } from "./metrics/metric.ts";
import type { ScenarioCounts, Snapshot } from "./metrics/snapshot.ts";
import type { SampleBatch } from "./outputs/sample.ts";
import type { TimelinePoint } from "./summary.ts";

/** Counts at the end of a second. */
export interface TickReport {
  readonly metrics: Readonly<Record<string, MetricData>>;
  readonly last: TimelinePoint;
  readonly scenarios: readonly ScenarioCounts[];
}

/** Result of `Runner.run`. */
export interface RunResult {
  readonly snapshot: Snapshot;
  /** `assertion` if an assertion with `abort_test` ended the run. */
  readonly ended: "assertion" | undefined;
}

/** Runs a plan, or shards of it, in this thread or in several threads. */
export interface Runner {
  /** Milliseconds from the start to the end of the last schedule. */
  readonly plannedMs: number;
  /**
   * Milliseconds from the start to the end of the last graceful stop, when running iterations are
   * cancelled.
   */
  readonly endsMs: number;
  /**
   * Runs the plan to its end. `startsAt` is a time on the clock. If samples are kept, calls
   * `onSamples` every second and at the end. Rejects only if there is a bug in rehearse.
   */
  run(
    startsAt: number,
    onSecond: (second: TickReport) => void,
    onSamples: (batch: SampleBatch) => void,
  ): Promise<RunResult>;
  /** Stops starting iterations; running ones get their graceful stop. */
  stop(): void;
  /** Cancels running iterations. */
  kill(): void;
}
