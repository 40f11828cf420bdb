import { OutputError } from "../../base/errors.ts";
import type { Output, OutputKind } from "../../plan/kinds/outputs.ts";
import type { MetricData } from "../metrics/metrics.ts";
import type { SampleBatch } from "../metrics/sample.ts";
import type { TickDetails } from "../metrics/snapshot.ts";
import { type HistogramPoint, type Point, toHistograms, toPoints, toSeries } from "./points.ts";

/** Output of the given kind, as configured in the plan. */
export type OutputOf<Kind extends OutputKind> = Extract<Output, { type: Kind }>;

/**
 * Function that opens an output of one kind. It returns several outputs if one entry of the plan
 * has several destinations. `resolve` maps a path in the plan to the path of the file to write, and
 * throws OutputError for a file that must not be written. `identity` labels exported metrics. The
 * function throws OutputError if the output cannot be opened, and NotCapable if a permission is
 * missing.
 */
export type OpenOutput<Kind extends OutputKind> = (
  output: OutputOf<Kind>,
  resolve: (path: string) => string,
  identity: ExportIdentity,
) => RunOutput[];

/** Labels that distinguish runs and processes in the systems that receive metrics. */
export interface ExportIdentity {
  /** Labels for all exported metrics: the run id, the shard, and the plan's tags. */
  readonly labels: Point["labels"];
  /** Name of the process; undefined if it is unknown. */
  readonly instance?: string;
}

/** Identity without labels. */
export const ANONYMOUS: ExportIdentity = { labels: [] };

/**
 * Parses `host:port`. An omitted host means 127.0.0.1. If `text` is invalid, throws an OutputError
 * that names the plan key `key`.
 */
export function parseAddress(text: string, key: string): { hostname: string; port: number } {
  const [, bracketed, host, port] = /^(?:\[(.+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new OutputError(
      `invalid \`${key}\`: expected host:port, such as 127.0.0.1:9464, found ${text}`,
    );
  }
  return { hostname: bracketed ?? (host || "127.0.0.1"), port: Number(port) };
}

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
