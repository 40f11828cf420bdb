import { METRICS } from "../../plan/metrics.ts";
import type { MetricKind } from "../../plan/metrics.ts";
import { parseSelector, type Selector } from "../../plan/selector.ts";
import { METRIC_CLASSES, type MetricData, type MetricOf } from "./metric.ts";

/** The tags of a sample. */
export type Tags = Readonly<Record<string, string>>;

/** Every metric of a run, and the sub-metrics that thresholds look at. */
export class MetricSet {
  readonly #metrics = new Map<string, MetricOf<MetricKind>>();
  readonly #submetrics: readonly { readonly key: string; readonly selector: Selector }[];

  /** `selectors` are those of the thresholds, as the plan writes them. */
  constructor(selectors: readonly string[]) {
    const parsed = selectors.map((key) => ({ key, selector: parseSelector(key) }));
    this.#submetrics = parsed.filter(({ selector }) => selector.tags.length > 0);
    for (const [name, kind] of METRICS) this.#metrics.set(name, new METRIC_CLASSES[kind]());
    for (const { key, selector } of this.#submetrics) {
      const kind = METRICS.get(selector.metric);
      if (kind) this.#metrics.set(key, new METRIC_CLASSES[kind]());
    }
  }

  /**
   * What a sample of `metric` with these tags is to be added to: the metric itself and every
   * sub-metric whose tags it carries. Resolved once, before the samples come.
   */
  resolve<Kind extends MetricKind>(_kind: Kind, metric: string, tags: Tags): MetricOf<Kind>[] {
    const keys = this.#submetrics
      .filter(({ selector }) =>
        selector.metric === metric && selector.tags.every(([tag, value]) => tags[tag] === value)
      )
      .map(({ key }) => key);
    return [metric, ...keys].map((key) => this.#metrics.get(key) as MetricOf<Kind>);
  }

  /** What all of them hold, by name. */
  data(): Record<string, MetricData> {
    return Object.fromEntries([...this.#metrics].map(([name, metric]) => [name, metric.data()]));
  }
}
