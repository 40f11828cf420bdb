import {
  isOptionalMetric,
  isOwnMetric,
  type KindOfMetric,
  type MetricKind,
  type MetricName,
  METRICS,
  type TagName,
} from "../../plan/text/metrics.ts";
import { parseSelector, type Selector } from "../../plan/text/threshold.ts";
import { METRIC_CLASSES, type MetricData, type MetricOf } from "./metric.ts";

/** Tags of a sample: the value of each tag by name. */
export type Tags = Readonly<Record<string, string>>;

/** Values of tags that rehearse itself sets, by tag name. */
export type TagsOf<Name extends TagName> = Readonly<Record<Name, string>>;

/** All metrics of a run, including the sub-metrics that thresholds select by tag. */
export class MetricSet {
  readonly #metrics = new Map<string, MetricOf<MetricKind>>();
  readonly #own: ReadonlyMap<string, MetricKind>;
  readonly #submetrics: readonly { readonly key: string; readonly selector: Selector }[];

  /**
   * Creates the metrics. `selectors` are the keys of the plan's thresholds, such as
   * `http_reqs{status:500}`. Each selector with tags creates a sub-metric. `own` contains the kinds
   * of the metrics that the plan defines, by name. Pass it only if you call `has`.
   */
  constructor(selectors: readonly string[], own: ReadonlyMap<string, MetricKind> = new Map()) {
    this.#own = own;
    const parsed = selectors.map((key) => ({ key, selector: parseSelector(key) }));
    this.#submetrics = parsed.filter(({ selector }) => selector.tags.length > 0);
    for (const [name, kind] of METRICS) {
      if (!isOptionalMetric(name)) this.#metrics.set(name, new METRIC_CLASSES[kind]());
    }
    for (const { key, selector } of this.#submetrics) {
      const kind = METRICS.get(selector.metric);
      // `METRICS` does not contain a plan's own metrics: their first series creates their
      // sub-metrics.
      if (kind) this.#metrics.set(key, new METRIC_CLASSES[kind]());
    }
  }

  /**
   * Returns the metrics to which a sample of `metric` with these tags is added: the metric itself
   * and every sub-metric whose tags match. Call it once per series, before the first sample.
   */
  resolve<Name extends MetricName>(metric: Name, tags: Tags): MetricOf<KindOfMetric<Name>>[] {
    return this.resolveKind(metric, METRICS.get(metric)!, tags) as MetricOf<KindOfMetric<Name>>[];
  }

  /**
   * Returns the same metrics as `resolve`. Takes the kind of the metric as an argument, so that it
   * also supports metrics that the plan defines.
   */
  resolveKind<Kind extends MetricKind>(name: string, kind: Kind, tags: Tags): MetricOf<Kind>[] {
    const keys = this.#submetrics
      .filter(({ selector }) =>
        selector.metric === name && selector.tags.every(([tag, value]) => tags[tag] === value)
      )
      .map(({ key }) => key);
    return [name, ...keys].map((key) => {
      let metric = this.#metrics.get(key);
      if (metric === undefined) this.#metrics.set(key, metric = new METRIC_CLASSES[kind]());
      return metric as MetricOf<Kind>;
    });
  }

  /**
   * Reports whether a metric with the name `key` exists and has the given kind. `key` can be the
   * name of a built-in metric, of a metric that the plan defines, or of a sub-metric.
   */
  has(key: string, kind: string): boolean {
    const known = this.#metrics.get(key)?.kind ?? METRICS.get(key) ?? this.#own.get(key) ??
      this.#ownSubmetric(key);
    return known === kind;
  }

  /** Returns the metric or sub-metric `key`. Call it only if `has(key, kind)` is true. */
  find<Kind extends MetricKind>(key: string, kind: Kind): MetricOf<Kind> {
    if (!this.#metrics.has(key)) this.#metrics.set(key, new METRIC_CLASSES[kind]());
    return this.#metrics.get(key) as MetricOf<Kind>;
  }

  #ownSubmetric(key: string): MetricKind | undefined {
    const found = this.#submetrics.find((submetric) => submetric.key === key);
    return found && this.#own.get(found.selector.metric);
  }

  /**
   * Returns the current values of all metrics and sub-metrics by name. Omits gauges that the plan
   * defines and that have no value yet.
   */
  data(): Record<string, MetricData> {
    const data: Record<string, MetricData> = {};
    for (const [name, metric] of this.#metrics) {
      const isEmpty = metric.kind === "gauge" && !metric.isSet && isOwnMetric(name);
      if (!isEmpty) data[name] = metric.data();
    }
    return data;
  }
}
