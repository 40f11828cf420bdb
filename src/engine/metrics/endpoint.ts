import { Histogram } from "../../base/histogram.ts";
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

  constructor(key: EndpointKey) {
    this.key = key;
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
      histogram: this.durations.data(),
    };
  }
}
