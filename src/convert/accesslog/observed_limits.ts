import { InputError } from "../../base/errors.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Timings } from "../../traffic/accesslog/timings.ts";
import type { Note } from "../note.ts";
import { formatThousands } from "../../base/format_thousands.ts";
import { plural } from "../../base/plural.ts";

/** What a plan must hold, and the VUs that it takes, as the log's requests were observed. */
export interface ObservedLimits {
  readonly thresholds: NonNullable<Plan["thresholds"]>;
  readonly preAllocatedVus: number;
  readonly maxVus: number;
  readonly note: Note;
}

/**
 * Thresholds at the log's own percentiles and share of failures, and by Little's law the VUs that so
 * many requests in the busiest second keep busy. Throws InputError when the log tells no durations.
 */
export function observedLimits(
  { durations, answered, failed }: Timings,
  peak: number,
): ObservedLimits {
  if (durations.count === 0) {
    throw new InputError(
      "no thresholds can be taken from the log: it does not tell how long requests took; log that " +
        "($request_time, %D, …) and give --log-format, or leave --thresholds out",
      { source: "access log" },
    );
  }
  const percentile = (percent: number) =>
    Math.max(1, Math.ceil(durations.percentile(percent) / 1_000));
  const [p95, p99] = [percentile(95), percentile(99)];
  const meanMs = durations.mean / 1_000;
  const preAllocatedVus = Math.max(1, Math.ceil(peak * meanMs / 1_000));
  const maxVus = Math.max(2 * preAllocatedVus, Math.ceil(peak * p99 / 1_000));
  // Rounded up, so that a run exactly like the log passes.
  const share = Math.ceil(1e4 * failed / Math.max(1, answered)) / 1e4;
  return {
    thresholds: {
      http_req_duration: [`p(95)<=${p95}`, `p(99)<=${p99}`],
      ...(answered > 0 && { http_req_failed: [`rate<=${share}`] }),
    },
    preAllocatedVus,
    maxVus,
    note: {
      level: "note",
      code: "observed-thresholds",
      subject: "thresholds",
      message: `they are what the log shows in ${plural(durations.count, "timed request")}: p95 ` +
        `${formatThousands(p95)} ms, p99 ${formatThousands(p99)} ms, ${
          formatThousands(failed)
        } failed; max_vus is ` +
        `${formatThousands(maxVus)} by Little's law, from the ${
          plural(peak, "request")
        } of the busiest second ` +
        `and their mean of ${Number(meanMs.toPrecision(3))} ms; set what you promise instead`,
    },
  };
}
