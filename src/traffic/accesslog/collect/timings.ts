import {
  bucketIndex,
  Histogram,
  type HistogramData,
  mergeHistograms,
} from "../../../base/histogram.ts";
import { checkInteger, checkList, checkRecord } from "../profile/profile_checks.ts";
import type { LogRequest } from "../read/log_request.ts";
import type { RequestPart } from "../read/request_use.ts";
import type { LogCollector } from "./collector.ts";

/** Contents of a `Timings` collector. */
export interface TimingsData {
  readonly durations: HistogramData;
  readonly withStatus: number;
  readonly failed: number;
}

/** Collects the durations of the requests in a log and counts the failed requests. */
export class Timings implements LogCollector {
  readonly kind = "timings";
  readonly parts: readonly RequestPart[] = ["duration"];
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

  data(): TimingsData {
    const { withStatus, failed } = this;
    return { durations: this.durations.data(), withStatus, failed };
  }

  merge({ durations, withStatus, failed }: TimingsData): void {
    this.durations.addData(durations);
    this.withStatus += withStatus;
    this.failed += failed;
  }

  toJson(): unknown {
    const { durations, withStatus, failed } = this;
    const { sum, min, max } = durations;
    return { withStatus, failed, sum, min, max, durations: [...durations.buckets()] };
  }

  fromJson(json: unknown): TimingsData {
    const read = checkRecord(json, "`timings`");
    const number = (name: string) => checkInteger(read[name], `\`timings.${name}\``);
    const buckets = checkList(read.durations, "`timings.durations`").map((bucket) => {
      const [lowest, count] = checkList(bucket, "a duration bucket");
      return {
        index: bucketIndex(checkInteger(lowest, "a duration")),
        count: checkInteger(count, "the number of requests in a duration bucket", 2 ** 32 - 1),
      };
    });
    const counts = new Uint32Array(1 + Math.max(0, ...buckets.map(({ index }) => index)));
    for (const { index, count } of buckets) counts[index] += count;
    const count = buckets.reduce((all, bucket) => all + bucket.count, 0);
    const data = { counts, count, sum: number("sum"), min: number("min"), max: number("max") };
    return {
      durations: mergeHistograms(data).data(),
      withStatus: number("withStatus"),
      failed: number("failed"),
    };
  }
}
