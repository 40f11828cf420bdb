import { formatThousands } from "../../base/format.ts";
import { Histogram } from "../../base/histogram.ts";
import {
  isOwnMetric,
  type KindOfMetric,
  type MetricKind,
  type MetricName,
  METRICS,
  OPTIONAL_METRICS,
  type TagName,
} from "../../plan/text/metrics.ts";
import { parseSelector, type Selector } from "../../plan/rules/thresholds.ts";
import type { Counts, LiveRow } from "./counts.ts";
import type { KindValues, MetricData, MetricRow, Tags } from "./snapshot.ts";

export type LiveMetric<Kind extends MetricKind> = KindValues<Histogram>[Kind];

const START: { readonly [Kind in MetricKind]: () => Partial<LiveRow<"metrics">> } = {
  counter: () => ({ count: 0 }),
  rate: () => ({ passes: 0, total: 0 }),
  gauge: () => ({}), // absent until it is set
  trend: () => ({ histogram: new Histogram() }),
};

// A list has one or two items, so a plain loop costs only a third of `for … of`.

export function addCount(counters: readonly LiveMetric<"counter">[], n: number): void {
  for (let i = 0; i < counters.length; i++) counters[i].count += n;
}

export function addTime(trends: readonly LiveMetric<"trend">[], ms: number): void {
  for (let i = 0; i < trends.length; i++) trends[i].histogram.record(ms * 1_000 + 0.5);
}

export function mark(rates: readonly LiveMetric<"rate">[], passed: boolean): void {
  for (let i = 0; i < rates.length; i++) {
    rates[i].total++;
    if (passed) rates[i].passes++;
  }
}

export function setGauge(gauges: readonly LiveMetric<"gauge">[], value: number): void {
  for (const gauge of gauges) {
    gauge.min = Math.min(gauge.min ?? Infinity, value);
    gauge.max = Math.max(gauge.max ?? -Infinity, value);
    gauge.value = value;
  }
}

/** Returns metrics as rows. */
export function metricRows(metrics: Readonly<Record<string, MetricData>>): MetricRow[] {
  return Object.entries(metrics).map(([name, data]) => ({ name, ...data }));
}

/**
 * Returns rows of metrics by name, without the gauges of a plan that have no value yet. Throws
 * TypeError if two kinds of metrics have the same name.
 */
export function toMetrics(rows: readonly MetricRow[]): Record<string, MetricData> {
  const metrics: Record<string, MetricData> = {};
  for (const { name, ...data } of rows) {
    const known = metrics[name];
    if (known) throw new TypeError(`cannot merge a ${known.kind} with a ${data.kind}`);
    if (data.kind !== "gauge" || data.value !== undefined) metrics[name] = data as MetricData;
    else if (!isOwnMetric(name)) metrics[name] = { kind: "gauge", value: 0, min: 0, max: 0 };
  }
  return metrics;
}

export type TagsOf<Name extends TagName> = Readonly<Record<Name, string>>;

export type EndpointKey = TagsOf<"scenario" | "group" | "name" | "method">;

/** All metrics of a run, including the sub-metrics that thresholds select by tag. */
export class MetricSet {
  readonly #counts: Counts;
  readonly #submetrics: readonly { readonly key: string; readonly selector: Selector }[];

  /**
   * Creates the metrics, which are rows of `counts`. `selectors` are the keys of the plan's
   * thresholds, such as `http_reqs{status:500}`. Each selector with tags creates a sub-metric.
   */
  constructor(selectors: readonly string[], counts: Counts) {
    this.#counts = counts;
    const parsed = selectors.map((key) => ({ key, selector: parseSelector(key) }));
    this.#submetrics = parsed.filter(({ selector }) => selector.tags.length > 0);
    for (const [name, kind] of METRICS) if (!OPTIONAL_METRICS.has(name)) this.#row(name, kind);
    for (const { key, selector } of this.#submetrics) {
      const kind = METRICS.get(selector.metric);
      // `METRICS` does not contain a plan's own metrics: their first series creates their
      // sub-metrics.
      if (kind) this.#row(key, kind);
    }
  }

  /**
   * Returns the metrics to which a sample of `metric` with these tags is added: the metric itself
   * and every sub-metric whose tags match. Call it once per series, before the first sample.
   */
  resolve<Name extends MetricName>(metric: Name, tags: Tags): LiveMetric<KindOfMetric<Name>>[] {
    return this.resolveKind(metric, METRICS.get(metric)!, tags) as LiveMetric<KindOfMetric<Name>>[];
  }

  /**
   * Returns the same metrics as `resolve`. Takes the kind of the metric as an argument, so that it
   * also supports metrics that the plan defines.
   */
  resolveKind<Kind extends MetricKind>(name: string, kind: Kind, tags: Tags): LiveMetric<Kind>[] {
    const keys = this.#submetrics
      .filter(({ selector }) =>
        selector.metric === name && selector.tags.every(([tag, value]) => tags[tag] === value)
      )
      .map(({ key }) => key);
    return [name, ...keys].map((key) => this.#row(key, kind));
  }

  data(): Record<string, MetricData> {
    return toMetrics(this.#counts.data("metrics"));
  }

  #row<Kind extends MetricKind>(name: string, kind: Kind): LiveMetric<Kind> {
    const { size } = this.#counts;
    const row = this.#counts.row("metrics", { name, kind });
    if (this.#counts.size > size) Object.assign(row, START[kind]());
    return row as unknown as LiveMetric<Kind>;
  }
}

/** Largest value that a trend accepts. */
const MAX_TREND = 1e12;

/**
 * Records a value. If the metric does not accept the value, returns the reason; otherwise, returns
 * undefined.
 */
export type RecordValue = (value: number | boolean) => string | undefined;

/**
 * Returns a function that adds a value to each of `metrics`: a metric that the plan defines, and
 * its sub-metrics with matching tags.
 */
export function valueRecorder(
  kind: MetricKind,
  metrics: readonly LiveMetric<MetricKind>[],
): RecordValue {
  return (value) => {
    switch (kind) {
      case "counter":
        if (!Number.isSafeInteger(value) || Number(value) < 0) {
          return `a counter needs a whole number of at least 0, found ${value}`;
        }
        addCount(metrics as LiveMetric<"counter">[], Number(value));
        break;
      case "rate":
        mark(metrics as LiveMetric<"rate">[], Boolean(value));
        break;
      case "gauge":
        if (!Number.isFinite(value)) return `a gauge needs a number, found ${value}`;
        setGauge(metrics as LiveMetric<"gauge">[], Number(value));
        break;
      case "trend":
        if (!(Number(value) >= 0 && Number(value) <= MAX_TREND)) {
          return `a trend needs a number from 0 to ${formatThousands(MAX_TREND)}, found ${value}`;
        }
        addTime(metrics as LiveMetric<"trend">[], Number(value));
    }
    return undefined;
  };
}
