import { Histogram, type HistogramData } from "../../base/histogram.ts";
import type { MetricKind } from "../../plan/metrics.ts";

/** Counts. */
export class Counter {
  readonly kind = "counter";
  count = 0;

  add(n: number): void {
    this.count += n;
  }

  data(): MetricData {
    return { kind: this.kind, count: this.count };
  }
}

/** How often something was true. */
export class Rate {
  readonly kind = "rate";
  passes = 0;
  total = 0;

  add(passed: boolean): void {
    this.total++;
    if (passed) this.passes++;
  }

  data(): MetricData {
    return { kind: this.kind, passes: this.passes, total: this.total };
  }
}

/** A level: the last one, the lowest, the highest. */
export class Gauge {
  readonly kind = "gauge";
  value = 0;
  min: number = Infinity;
  max = 0;

  set(value: number): void {
    this.value = value;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  data(): MetricData {
    return { kind: this.kind, value: this.value, min: Math.min(this.min, this.max), max: this.max };
  }
}

/** A distribution of times. */
export class Trend {
  readonly kind = "trend";
  readonly #histogram = new Histogram();
  /** Zeroes that are not yet in the histogram: parts of a request that took no time, as most do. */
  #zeroes = 0;

  addMs(ms: number): void {
    if (ms === 0) this.#zeroes++;
    else this.#histogram.record(ms * 1_000 + 0.5);
  }

  /** In µs. */
  get histogram(): Histogram {
    const count = this.#zeroes;
    this.#zeroes = 0;
    this.#histogram.addData({ counts: Uint32Array.of(count), count, sum: 0, min: 0, max: 0 });
    return this.#histogram;
  }

  data(): MetricData {
    return { kind: this.kind, histogram: this.histogram.data() };
  }
}

/** What a metric holds, as plain data: it crosses threads and is added up. Times are µs. */
export type MetricData =
  | { readonly kind: "counter"; readonly count: number }
  | { readonly kind: "rate"; readonly passes: number; readonly total: number }
  | { readonly kind: "gauge"; readonly value: number; readonly min: number; readonly max: number }
  | { readonly kind: "trend"; readonly histogram: HistogramData };

/** The class of each kind of metric. */
export const METRIC_CLASSES = { counter: Counter, rate: Rate, gauge: Gauge, trend: Trend } as const;

/** A metric of one kind. */
export type MetricOf<Kind extends MetricKind> = InstanceType<typeof METRIC_CLASSES[Kind]>;
