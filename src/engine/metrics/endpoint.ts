import { Histogram } from "../../base/histogram.ts";
import { Counter } from "./metric.ts";
import { SeriesRecorder } from "./endpoint_series.ts";
import type { TagsOf } from "./metric_set.ts";
import type { EndpointData } from "./snapshot.ts";

/** Properties that identify an endpoint. */
export type SeriesKey = TagsOf<"scenario" | "group" | "name" | "method">;

/** Records the requests of one endpoint: those with the same scenario, group, name and method. */
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

  /** Closes the one-second interval that ends `at` seconds after the start of the run. */
  tick(at: number): void {
    this.#series.tick(at, this.count, this.failed, this.durations.sum);
  }

  /** Returns the counts as plain data. */
  data(): EndpointData {
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
      series: this.#series.data(),
      histogram: this.durations.data(),
    };
  }
}
