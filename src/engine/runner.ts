import type { MetricData } from "./metrics/metric.ts";
import type { ScenarioCounts, Snapshot } from "./metrics/snapshot.ts";
import type { SampleBatch } from "./outputs/sample.ts";
import type { TimelinePoint } from "./summary.ts";

/** What has been counted when a second ends. */
export interface TickReport {
  readonly metrics: Readonly<Record<string, MetricData>>;
  readonly last: TimelinePoint;
  readonly scenarios: readonly ScenarioCounts[];
}

/** What a player comes back with. */
export interface RunResult {
  readonly snapshot: Snapshot;
  /** An assertion with `abort_test` ended it. */
  readonly ended: "assertion" | undefined;
}

/** Something that plays a plan, or shares of it: this thread, or several. */
export interface Runner {
  /** From the start to the end of the last schedule. */
  readonly plannedMs: number;
  /** From the start to the end of the last graceful stop, when what is in flight is cancelled. */
  readonly endsMs: number;
  /**
   * Plays to the end; `startsAt` is on the clock. `onSamples` is called every second and at the end
   * where samples are kept. Rejects only for a defect of ours.
   */
  play(
    startsAt: number,
    onSecond: (second: TickReport) => void,
    onSamples: (batch: SampleBatch) => void,
  ): Promise<RunResult>;
  /** Starts nothing new; what is in flight gets its graceful stop. */
  stop(): void;
  /** Cuts off what is in flight. */
  kill(): void;
}
