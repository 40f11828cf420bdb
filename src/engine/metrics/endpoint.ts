import { Histogram, lowestValue, type SparseHistogram } from "../../base/histogram.ts";
import { Counter } from "./metric.ts";
import { SeriesRecorder } from "./endpoint_series.ts";
import { statusClass } from "./series_interval.ts";
import type { TagsOf } from "./metric_set.ts";
import type { EndpointData } from "./snapshot.ts";

/** Properties that identify an endpoint. */
export type SeriesKey = TagsOf<"scenario" | "group" | "name" | "method">;

/**
 * Records the requests of one endpoint, which all have the same scenario, group, name and method.
 */
export class Endpoint {
  readonly key: SeriesKey;
  readonly durations: Histogram = new Histogram();
  count = 0;
  failed = 0;
  /** Number of requests that could not be sent. `failed` includes them. */
  unsent = 0;
  /** Number of headers that requests omitted because a variable in them was not set. */
  omittedHeaders = 0;
  bytesSent = 0;
  bytesReceived = 0;
  readonly #statuses = new Map<number, Counter>();
  readonly #series = new SeriesRecorder();
  /** Value of `count` at the end of the last one-second interval. */
  #ticked = 0;
  /**
   * Number of requests by status class from the start of the run to the end of the last one-second
   * interval.
   */
  #classes: number[] = [0, 0, 0, 0, 0, 0];

  constructor(key: SeriesKey) {
    this.key = key;
  }

  /**
   * Returns the counter of responses with `status`. Status 0 counts requests without a response.
   */
  status(status: number): Counter {
    let counter = this.#statuses.get(status);
    if (counter === undefined) this.#statuses.set(status, counter = new Counter());
    return counter;
  }

  /** Records the `http_req_duration` of a request. `us` is the duration in µs. */
  addDuration(us: number): void {
    this.durations.record(us);
    this.#series.record(us, 1);
  }

  /** Records the `http_req_duration` of several requests. `times` is a histogram in µs. */
  addDurations(times: SparseHistogram): void {
    this.durations.addBuckets(times);
    times.buckets.forEach((bucket, i) => this.#series.record(lowestValue(bucket), times.counts[i]));
  }

  /** Closes the one-second interval that ends `at` seconds after the start of the run. */
  tick(at: number): void {
    const { count, failed, durations: { sum } } = this;
    if (count !== this.#ticked) {
      this.#classes = [0, 0, 0, 0, 0, 0];
      for (const [status, { count }] of this.#statuses) this.#classes[statusClass(status)] += count;
    }
    this.#ticked = count;
    this.#series.tick(at, { count, failed, sum, classes: this.#classes });
  }

  /** Returns the counts and the series over time as plain data. */
  data(): EndpointData {
    return { ...this.counts(), series: this.#series.data() };
  }

  /** Returns the counts as plain data, without the series over time. */
  counts(): EndpointData {
    return {
      ...this.key,
      count: this.count,
      failed: this.failed,
      unsent: this.unsent,
      ...(this.omittedHeaders > 0 && { omitted_headers: this.omittedHeaders }),
      bytes_sent: this.bytesSent,
      bytes_received: this.bytesReceived,
      statuses: Object.fromEntries(
        [...this.#statuses]
          .map(([status, { count }]) => [status, count] as const)
          .filter(([, count]) => count > 0),
      ),
      histogram: this.durations.data(),
    };
  }
}
