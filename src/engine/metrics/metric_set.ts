import {
  isOptionalMetric,
  type KindOfMetric,
  type MetricKind,
  type MetricName,
  METRICS,
  type TagName,
} from "../../plan/text/metrics.ts";
import { parseSelector, type Selector } from "../../plan/text/selector.ts";
import { METRIC_CLASSES, type MetricData, type MetricOf } from "./metric.ts";

/** Tags of a sample: the value of each tag by name. */
export type Tags = Readonly<Record<string, string>>;

/** Values of the tags `Name`, which rehearse itself sets. */
export type TagsOf<Name extends TagName> = Readonly<Record<Name, string>>;

/** All metrics of a run, including the sub-metrics that thresholds select by tag. */
export class MetricSet {
  readonly #metrics = new Map<string, MetricOf<MetricKind>>();
  readonly #submetrics: readonly { readonly key: string; readonly selector: Selector }[];

  /**
   * Creates the metrics. `selectors` are the keys of the plan's thresholds, such as
   * `http_reqs{status:500}`. Each selector with tags creates a sub-metric.
   */
  constructor(selectors: readonly string[]) {
    const parsed = selectors.map((key) => ({ key, selector: parseSelector(key) }));
    this.#submetrics = parsed.filter(({ selector }) => selector.tags.length > 0);
    for (const [name, kind] of METRICS) {
      if (!isOptionalMetric(name)) this.#metrics.set(name, new METRIC_CLASSES[kind]());
    }
    for (const { key, selector } of this.#submetrics) {
      const kind = METRICS.get(selector.metric);
      if (kind) this.#metrics.set(key, new METRIC_CLASSES[kind]());
    }
  }

  /**
   * Returns the metrics to which a sample of `metric` with these tags is added: the metric itself
   * and every sub-metric whose tags match. Call it once per series, before the first sample.
   */
  resolve<Name extends MetricName>(metric: Name, tags: Tags): MetricOf<KindOfMetric<Name>>[] {
    const keys = this.#submetrics
      .filter(({ selector }) =>
        selector.metric === metric && selector.tags.every(([tag, value]) => tags[tag] === value)
      )
      .map(({ key }) => key);
    if (!this.#metrics.has(metric)) {
      this.#metrics.set(metric, new METRIC_CLASSES[METRICS.get(metric)!]());
    }
    return [metric, ...keys].map((key) => this.#metrics.get(key) as MetricOf<KindOfMetric<Name>>);
  }

  /** Reports whether there is a metric or sub-metric `key` of the given kind. */
  has(key: string, kind: string): boolean {
    return this.#metrics.get(key)?.kind === kind;
  }

  /** Returns the metric or sub-metric `key` if it has the given kind, otherwise undefined. */
  find<Kind extends MetricKind>(key: string, kind: Kind): MetricOf<Kind> | undefined {
    return this.has(key, kind) ? this.#metrics.get(key) as MetricOf<Kind> : undefined;
  }

  /** Returns the current values of all metrics and sub-metrics by name. */
  data(): Record<string, MetricData> {
    return Object.fromEntries([...this.#metrics].map(([name, metric]) => [name, metric.data()]));
  }
}
