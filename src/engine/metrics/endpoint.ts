import { Histogram } from "../../base/histogram.ts";
import { SeriesRecorder } from "./endpoint_series.ts";
import type { EndpointData } from "./snapshot.ts";

/** What names an endpoint. */
export type EndpointKey = Readonly<Record<"scenario" | "group" | "name" | "method", string>>;

/** The requests of one name. */
export class Endpoint {
  readonly key: EndpointKey;
  readonly durations: Histogram = new Histogram();
  count = 0;
  failed = 0;
  bytesSent = 0;
  bytesReceived = 0;
  readonly statuses: Map<number, number> = new Map();
  readonly #series = new SeriesRecorder();

  constructor(key: EndpointKey) {
    this.key = key;
  }

  /** Closes the second that ends `at` seconds after the start. */
  tick(at: number): void {
    this.#series.tick(at, this.count, this.failed, this.durations.sum);
  }

  /** What it counted. */
  data(): EndpointData {
    return {
      ...this.key,
      count: this.count,
      failed: this.failed,
      bytes_sent: this.bytesSent,
      bytes_received: this.bytesReceived,
      statuses: Object.fromEntries(this.statuses),
      series: this.#series.data(),
      histogram: this.durations.data(),
    };
  }
}
