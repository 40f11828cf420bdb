import { systemMessage } from "../../base/errors.ts";
import { durationMs, formatMs, sum } from "../../base/format.ts";
import type { Output, OutputKind } from "../../plan/kinds/outputs.ts";
import type { MetricData, SampleBatch, TickDetails } from "../metrics/snapshot.ts";
import { type HistogramData, mergeHistograms } from "../../base/histogram.ts";
import { parseSelector } from "../../plan/rules/thresholds.ts";

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
  readonly labels: Point["labels"];
  readonly instance?: string;
}

export const ANONYMOUS: ExportIdentity = { labels: [] };

/** Destination of metrics or samples. Its methods neither block nor throw. */
export interface RunOutput {
  /** Receives the latest values about once per second, and at the end. */
  receive?(values: MetricValues): void;
  /** Receives the samples of a thread since the last call. */
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
  /** Samples that the full queue dropped, or pushes after the last accepted one. */
  readonly dropped: number;
  readonly error?: string;
}

export function needsSamples(outputs: readonly RunOutput[] = []): boolean {
  return outputs.some(({ samples }) => samples !== undefined);
}

/** Reports whether any output receives series per endpoint and scenario. */
export function needsDetails(outputs: readonly RunOutput[] = []): boolean {
  return outputs.some(({ receive }) => receive !== undefined);
}

export function publishToOutputs(
  outputs: readonly RunOutput[],
  metrics: Readonly<Record<string, MetricData>>,
  details: TickDetails | undefined,
): void {
  if (!needsDetails(outputs)) return;
  const values = metricValues(metrics, details);
  for (const output of outputs) output.receive?.(values);
}

const PUSH_TIMEOUT_MS = 5_000;
/** Maximum length of a response that is checked. */
const SHORT_BYTES = 64 * 1024;

interface Push {
  readonly name: string;
  readonly intervalMs: number;
  /**
   * Sends the values; `time` is in Unix milliseconds. Rejects if the receiver does not accept them.
   */
  send(values: MetricValues, time: number, signal: AbortSignal): Promise<void>;
}

/** Returns the push interval of an output in milliseconds: at least 100, by default 5,000. */
export function pushIntervalMs(
  { interval = "5s" }: { readonly interval?: string | number },
): number {
  return Math.max(100, durationMs(interval) ?? 5_000);
}

/**
 * Pushes the latest metrics at a fixed interval, one push at a time. Each push contains the totals
 * since the start, so that nothing is lost if a later push succeeds. Only pushes after the last
 * successful one count as dropped.
 */
export class Pusher implements RunOutput {
  readonly #push: Push;
  readonly #timer: ReturnType<typeof setInterval>;
  #values: MetricValues | undefined;
  #sending: Promise<void> | undefined;
  #written = 0;
  #dropped = 0;
  #error: string | undefined;

  constructor(push: Push) {
    this.#push = push;
    this.#timer = setInterval(() => this.#due(), push.intervalMs);
  }

  receive(values: MetricValues): void {
    this.#values = values;
  }

  async close(): Promise<OutputReport> {
    clearInterval(this.#timer);
    await this.#sending;
    this.#due();
    await this.#sending;
    const report = { name: this.#push.name, written: this.#written, dropped: this.#dropped };
    return this.#error === undefined ? report : { ...report, error: this.#error };
  }

  #due(): void {
    if (this.#values !== undefined) this.#sending ??= this.#send(this.#values);
  }

  async #send(values: MetricValues): Promise<void> {
    try {
      await this.#push.send(values, Date.now(), AbortSignal.timeout(PUSH_TIMEOUT_MS));
      this.#written++;
      this.#dropped = 0;
      this.#error = undefined;
    } catch (error) {
      this.#dropped++;
      this.#error ??= describePushError(error);
    }
    this.#sending = undefined;
  }
}

/**
 * Returns the reason why a push failed, such as a refused connection, a timeout or an unknown host.
 */
function describePushError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no response within ${formatMs(PUSH_TIMEOUT_MS)}`;
  // `fetch` stores the address and the reason in the cause. The output's name already contains the
  // address.
  if (error.cause instanceof Error) {
    return systemMessage(error.cause)
      .replace(/^error sending request for url \(.*?\): /, "")
      .replace(/^client error \(\w+\): /, "");
  }
  return systemMessage(error);
}

/**
 * Sends `body` in a POST request. Rejects if the request fails, is redirected, gets a status other
 * than 2xx, or if `check` throws an error for the text of a short response.
 */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: BodyInit,
  signal: AbortSignal,
  check?: (response: string) => void,
): Promise<void> {
  const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
  const isShort = Number(response.headers.get("content-length") ?? Infinity) <= SHORT_BYTES;
  if (response.ok && isShort && check !== undefined) return check(await response.text());
  await response.body?.cancel();
  if (response.ok) return;
  throw new Error(`the receiver responded with ${response.status} ${response.statusText}`);
}

/** Single value of a metric at a point in time. The value of a counter never decreases. */
export interface Point {
  readonly name: string;
  readonly kind: "counter" | "gauge";
  /**
   * Names and values of the labels, such as the tags of a sub-metric, or `quantile` for a trend.
   */
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
}

export const METRIC_PREFIX = "rehearse_";

/** Quantiles that outputs receive for each trend, as fractions from 0 to 1. */
const QUANTILES = [0.5, 0.9, 0.95, 0.99, 0.999];

/** Values that outputs receive. */
export interface MetricValues {
  readonly points: readonly Point[];
  readonly histograms: readonly HistogramPoint[];
}

/**
 * Converts metrics, and the counts for scenarios and endpoints, to points with single values:
 * - Trend: its quantiles, `_sum` (both in ms) and `_count`; also a histogram in seconds.
 * - Rate: the fraction that passed (0 to 1), `_passes_total` and `_samples_total`.
 * - Counter: its count as `_total`.
 * - Gauge: its last value.
 *
 * The names of the series per scenario and endpoint differ from the names of metrics, so that no
 * receiver adds them to the totals.
 */
export function metricValues(
  metrics: Readonly<Record<string, MetricData>>,
  details?: TickDetails,
): MetricValues {
  const all = Object.entries(metrics).map(([selector, data]) => {
    const { metric, tags } = parseSelector(selector);
    return { name: metric, labels: tags, data };
  });
  const series = details ? detailValues(details) : { points: [], histograms: [] };
  return {
    points: [
      ...all.flatMap(({ name, labels, data }) => points(name, labels, data)),
      ...series.points,
    ],
    histograms: [
      ...all.flatMap(({ name, labels, data }) =>
        data.kind === "trend" ? [histogramPoint(`${name}_seconds`, labels, data.histogram)] : []
      ),
      ...series.histograms,
    ],
  };
}

function points(name: string, labels: Point["labels"], data: MetricData): Point[] {
  const total = (suffix: string, value: number) => counter(name + suffix, labels, value);
  const gauge = (value: number): Point => ({ name, kind: "gauge", labels, value });
  switch (data.kind) {
    case "counter":
      return [total("_total", data.count)];
    case "gauge":
      return [gauge(data.value)];
    case "rate": {
      const ratio = data.total === 0 ? [] : [gauge(data.passes / data.total)];
      return [...ratio, total("_passes_total", data.passes), total("_samples_total", data.total)];
    }
    case "trend": {
      const histogram = mergeHistograms(data.histogram);
      const quantiles = histogram.count === 0 ? [] : QUANTILES.map((quantile) => ({
        ...gauge(histogram.percentile(100 * quantile) / 1_000),
        labels: [...labels, ["quantile", String(quantile)] as const],
      }));
      return [...quantiles, total("_sum", histogram.sum / 1_000), total("_count", histogram.count)];
    }
  }
}

/** Bucket bounds in seconds: always the same, so that receivers can add histograms. */
export const BOUNDS: readonly number[] = [
  ...[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5],
  ...[1, 2.5, 5, 10, 30, 60],
];

/**
 * Maximum number of endpoints that have their own series. The requests of all other endpoints are
 * combined in one series with the name `(other)`, so that a plan with many endpoints does not flood
 * the receiver.
 */
const MAX_ENDPOINTS = 100;
const MAX_SCENARIOS = 100;

/** Histogram of the durations recorded since the start of the run. */
export interface HistogramPoint {
  readonly name: string;
  readonly labels: Point["labels"];
  /**
   * Number of values in each bucket. Bucket `i` contains the values above `BOUNDS[i - 1]` that are
   * at most `BOUNDS[i]`. The last bucket contains the values above the last bound.
   */
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}

function detailValues({ scenarios, endpoints }: TickDetails): MetricValues {
  const named = endpoints.slice(0, MAX_ENDPOINTS).map((endpoint) => ({
    labels: (["scenario", "group", "name", "method"] as const)
      .map((key) => [key, endpoint[key]] as const).filter(([, value]) => value !== ""),
    all: [endpoint],
  }));
  const rest = endpoints.slice(MAX_ENDPOINTS);
  const groups = rest.length === 0
    ? named
    : [...named, { labels: [["name", "(other)"] as const], all: rest }];
  return {
    points: [
      ...scenarios.slice(0, MAX_SCENARIOS).flatMap(({ name, iterations, dropped }) => [
        counter("scenario_iterations_total", [["scenario", name]], iterations),
        counter("scenario_dropped_iterations_total", [["scenario", name]], dropped),
      ]),
      ...groups.flatMap(({ labels, all }) => [
        counter("endpoint_requests_total", labels, sum(all.map(({ count }) => count))),
        counter("endpoint_failed_total", labels, sum(all.map(({ failed }) => failed))),
      ]),
    ],
    histograms: groups.map(({ labels, all }) =>
      histogramPoint("endpoint_duration_seconds", labels, ...all.map(({ histogram }) => histogram))
    ),
  };
}

/** Converts a histogram to the points of a Prometheus histogram, with cumulative buckets. */
export function bucketPoints({ name, labels, counts, count, sum }: HistogramPoint): Point[] {
  let below = 0;
  return [
    ...BOUNDS.map((bound, i) =>
      counter(`${name}_bucket`, [...labels, ["le", String(bound)]], below += counts[i])
    ),
    counter(`${name}_bucket`, [...labels, ["le", "+Inf"]], count),
    counter(`${name}_sum`, labels, sum),
    counter(`${name}_count`, labels, count),
  ];
}

function histogramPoint(
  name: string,
  labels: Point["labels"],
  ...data: readonly HistogramData[]
): HistogramPoint {
  const histogram = mergeHistograms(...data);
  const counts = new Array<number>(BOUNDS.length + 1).fill(0);
  let bound = 0;
  for (const [lowest, count] of histogram.buckets()) {
    while (bound < BOUNDS.length && lowest > BOUNDS[bound] * 1_000_000) bound++;
    counts[bound] += count;
  }
  return { name, labels, counts, count: histogram.count, sum: histogram.sum / 1_000_000 };
}

function counter(name: string, labels: Point["labels"], value: number): Point {
  return { name, kind: "counter", labels, value };
}
