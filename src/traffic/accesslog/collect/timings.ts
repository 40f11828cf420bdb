import { Histogram } from "../../../base/histogram.ts";
import type { LogRequest } from "../read/log_request.ts";
import type { RequestCollector } from "../read/request_use.ts";

/** Collects the durations of the requests in a log and counts the failed requests. */
export class Timings implements RequestCollector {
  /**
   * Histogram of request durations, in microseconds. Log lines without a duration are not included.
   */
  readonly durations: Histogram = new Histogram();
  /** Number of requests whose log line has a status. */
  withStatus = 0;
  /** Number of requests with a status of 400 or higher, which a run counts as failed. */
  failed = 0;

  add({ status, durationMs }: LogRequest): void {
    if (durationMs >= 0) this.durations.record(Math.round(durationMs * 1_000));
    if (status === 0) return;
    this.withStatus++;
    if (status >= 400) this.failed++;
  }
}
