import type { MetricData } from "../metrics/metric.ts";
import { type Point, toPoints } from "./points.ts";
import type { SampleBatch } from "./sample.ts";

/**
 * Destination of metrics or samples during a run. Methods neither block nor throw: a failing output
 * does not affect the run.
 */
export interface RunOutput {
  /** Receives the metrics so far; called about once a second. */
  points?(points: readonly Point[]): void;
  /** Receives the samples since the last call; called about once a second for each thread. */
  samples?(batch: SampleBatch): void;
  /** Writes queued data, for at most a few seconds. */
  close(): Promise<OutputReport>;
}

/** Result of an output. */
export interface OutputReport {
  /** Type and target of the output, such as `json samples.jsonl`. */
  readonly name: string;
  /** Number of samples written, or of pushes of all metrics. */
  readonly written: number;
  /**
   * Number of samples or pushes dropped: the queue was full or the receiver did not accept them.
   */
  readonly dropped: number;
  /** Message of the first error. */
  readonly error?: string;
}

/** Reports whether an output receives single samples. */
export function needsSamples(outputs: readonly RunOutput[] = []): boolean {
  return outputs.some(({ samples }) => samples !== undefined);
}

/** Publishes metrics to the outputs that receive them. */
export function publishToOutputs(
  outputs: readonly RunOutput[],
  metrics: Readonly<Record<string, MetricData>>,
): void {
  const receivers = outputs.filter((output) => output.points !== undefined);
  if (receivers.length === 0) return;
  const points = toPoints(metrics);
  for (const output of receivers) output.points!(points);
}
