import type { Counter, Trend } from "./metric.ts";
import type { MetricSet, Tags } from "./metric_set.ts";

/** Records the server-sent events of one request step. */
export class EventSeries {
  readonly #events: readonly Counter[];
  readonly #first: readonly Trend[];

  constructor(set: MetricSet, tags: Tags) {
    this.#events = set.resolve("sse_events", tags);
    this.#first = set.resolve("sse_first_event", tags);
  }

  /** Records an event. */
  received(): void {
    for (const counter of this.#events) counter.add(1);
  }

  /**
   * Records that the first event of a response arrived `ms` milliseconds after the request started.
   */
  first(ms: number): void {
    for (const trend of this.#first) trend.addMs(ms);
  }
}
