import type { MetricData } from "../metrics/metric.ts";
import { type Point, toPoints } from "./points.ts";
import type { SampleBatch } from "./sample.ts";

/** Where figures go while a run is played. Nothing here waits or throws: the run goes on whatever comes of it. */
export interface RunOutput {
  /** What was counted until now; called about once a second. */
  points?(points: readonly Point[]): void;
  /** What happened since the last call, about once a second from each thread. */
  samples?(batch: SampleBatch): void;
  /** Writes what is still queued, for a few seconds at most. */
  close(): Promise<OutputReport>;
}

/** What came of an output. */
export interface OutputReport {
  /** As the plan has it, such as `json samples.jsonl`. */
  readonly name: string;
  /** Samples, or pushes of all metrics, that were written. */
  readonly written: number;
  /** Those that were not: the queue was full or the other side did not take them. */
  readonly dropped: number;
  /** The first thing that went wrong. */
  readonly error?: string;
}

/** Whether one of the outputs takes single samples. */
export function needsSamples(outputs: readonly RunOutput[] = []): boolean {
  return outputs.some(({ samples }) => samples !== undefined);
}

/** Passes on what was counted to the outputs that take it. */
export function publishToOutputs(
  outputs: readonly RunOutput[],
  metrics: Readonly<Record<string, MetricData>>,
): void {
  const takers = outputs.filter((output) => output.points !== undefined);
  if (takers.length === 0) return;
  const points = toPoints(metrics);
  for (const output of takers) output.points!(points);
}
