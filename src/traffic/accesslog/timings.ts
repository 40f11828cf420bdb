import { Histogram } from "../../base/histogram.ts";
import type { LogRequest } from "./lines/log_request.ts";
import type { RequestCollector } from "./lines/request_use.ts";

/** How long the requests of a log took, and how many failed. */
export class Timings implements RequestCollector {
  /** Microseconds, of the requests of which the log tells. */
  readonly durations: Histogram = new Histogram();
  /** Requests with a status. */
  answered = 0;
  /** Of them, those with a status of 400 or more, which a run counts as failed. */
  failed = 0;

  /** See `RequestCollector`. */
  add({ status, durationMs }: LogRequest): void {
    if (durationMs >= 0) this.durations.record(Math.round(durationMs * 1_000));
    if (status === 0) return;
    this.answered++;
    if (status >= 400) this.failed++;
  }
}
