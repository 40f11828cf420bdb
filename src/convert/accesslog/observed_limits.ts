import { InputError } from "../../base/errors.ts";
import { MAX_VUS } from "../../plan/kinds/load.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { Timings } from "../../traffic/accesslog/collect/small_collectors.ts";
import type { LogNote } from "../notes/note.ts";
import { formatThousands, plural } from "../../base/format.ts";

/** Thresholds and numbers of VUs derived from the durations and statuses in a log. */
export interface ObservedLimits {
  readonly thresholds: NonNullable<Plan["thresholds"]>;
  readonly preAllocatedVus: number;
  readonly maxVus: number;
  readonly note: LogNote;
}

/**
 * Derives thresholds from the log's p95 and p99 durations and its fraction of failed requests.
 * Derives the initial number of VUs by Little's law: `peak` (in requests per second) times the mean
 * duration. The maximum number of VUs uses the p99 duration, and is at least twice the initial
 * number. Throws InputError if the log contains no durations.
 */
export function observedLimits(
  { durations, withStatus, failed }: Timings,
  peak: number,
): ObservedLimits {
  if (durations.count === 0) {
    throw new InputError(
      "cannot derive thresholds from the log: it does not contain request durations; log them " +
        "(`$request_time`, `%D`, …) and give `--log-format`, or omit `--thresholds`",
      { source: "access log" },
    );
  }
  const percentile = (percent: number) =>
    Math.max(1, Math.ceil(durations.percentile(percent) / 1_000));
  const [p95, p99] = [percentile(95), percentile(99)];
  const meanMs = durations.mean / 1_000;
  const preAllocatedVus = Math.min(MAX_VUS, Math.max(1, Math.ceil(peak * meanMs / 1_000)));
  const maxVus = Math.min(MAX_VUS, Math.max(2 * preAllocatedVus, Math.ceil(peak * p99 / 1_000)));
  // Rounded up, so that a run that exactly reproduces the log's results passes.
  const share = Math.ceil(1e4 * failed / Math.max(1, withStatus)) / 1e4;
  return {
    thresholds: {
      http_req_duration: [`p(95)<=${p95}`, `p(99)<=${p99}`],
      ...(withStatus > 0 && { http_req_failed: [`rate<=${share}`] }),
    },
    preAllocatedVus,
    maxVus,
    note: {
      code: "observed-thresholds",
      subject: "thresholds",
      message: `derived from ${plural(durations.count, "timed request")} in the log: p95 ` +
        `${formatThousands(p95)} ms, p99 ${formatThousands(p99)} ms, ${
          formatThousands(failed)
        } failed; \`max_vus\` is ` +
        `${formatThousands(maxVus)} by Little's law, for ${
          plural(peak, "request")
        } in the busiest second ` +
        `and a mean duration of ${Number(meanMs.toPrecision(3))} ms; replace the thresholds with ` +
        "your own targets",
    },
  };
}
