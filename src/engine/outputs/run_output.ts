import type { MetricData } from "../metrics/metric.ts";
import type { TickDetails } from "../metrics/snapshot.ts";
import { type HistogramPoint, toHistograms, toSeries } from "./histogram_points.ts";
import { type Point, toPoints } from "./points.ts";
import type { SampleBatch } from "../metrics/sample.ts";

/**
 * Destination of metrics or samples during a run. Its methods neither block nor throw, so a failing
 * output does not affect the run.
 */
export interface RunOutput {
  /**
   * Receives the latest values of all metrics, with series per endpoint and scenario. Called about
   * once per second and at the end.
   */
  points?(points: readonly Point[], histograms: readonly HistogramPoint[]): void;
  /**
   * Receives the samples recorded since the last call. Called about once per second for each
   * thread, and at the end.
   */
  samples?(batch: SampleBatch): void;
  /** Writes the queued data and closes the output. Takes at most a few seconds. */
  close(): Promise<OutputReport>;
}

/** How many items an output wrote, how many it dropped, and its first error. */
export interface OutputReport {
  /** Type and target of the output, such as `json samples.jsonl`. */
  readonly name: string;
  /** Number of samples written, or number of successful pushes or scrapes of metrics. */
  readonly written: number;
  /**
   * Number of samples that were dropped because the queue was full, or of pushes after the last one
   * that the receiver accepted.
   */
  readonly dropped: number;
  /** Message of the first error. Absent if no error occurred. */
  readonly error?: string;
}

/** Reports whether any output receives individual samples. */
export function needsSamples(outputs: readonly RunOutput[] = []): boolean {
  return outputs.some(({ samples }) => samples !== undefined);
}

/** Reports whether any output receives series per endpoint and scenario. */
export function needsDetails(outputs: readonly RunOutput[] = []): boolean {
  return outputs.some(({ points }) => points !== undefined);
}

/** Converts the metrics to points, and passes them to all outputs that receive metrics. */
export function publishToOutputs(
  outputs: readonly RunOutput[],
  metrics: Readonly<Record<string, MetricData>>,
  details: TickDetails | undefined,
): void {
  const receivers = outputs.filter((output) => output.points !== undefined);
  if (receivers.length === 0) return;
  const series = details ? toSeries(details) : { points: [], histograms: [] };
  const points = [...toPoints(metrics), ...series.points];
  const histograms = [...toHistograms(metrics), ...series.histograms];
  for (const output of receivers) output.points!(points, histograms);
}
