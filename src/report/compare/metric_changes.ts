import type { ThresholdVerdict } from "../../engine/summary/summary.ts";
import type { Estimate } from "./change.ts";
import { type ComparedEndpoint, timeVerdict } from "./compared_endpoints.ts";
import type { ComparedTotal } from "./compared_totals.ts";
import type { Unit } from "../blocks.ts";

/** A metric that changed significantly between two runs. */
export interface MetricChange {
  /** Name of the metric, such as `corrected p50`. */
  readonly metric: string;
  /** Endpoint of the metric. Absent if the metric covers all requests. */
  readonly endpoint?: string;
  readonly unit: Unit;
  /**
   * Values in the earlier run (`before`) and the later run (`after`), with their 99% confidence
   * intervals.
   */
  readonly before: Estimate;
  readonly after: Estimate;
  readonly verdict: "worse" | "better";
}

/**
 * Returns the significant changes: first in metrics over all requests, then in endpoint metrics.
 */
export function metricChanges(
  totals: readonly ComparedTotal[],
  endpoints: readonly ComparedEndpoint[],
): MetricChange[] {
  return [
    ...totals.flatMap(({ label, unit, verdict, estimates }) =>
      changed({ metric: label, unit }, verdict, estimates)
    ),
    ...endpoints.flatMap((endpoint) => {
      const { name, failed, estimates, time } = endpoint;
      const decided = timeVerdict(endpoint) === "mixed"
        ? ["p95", "p50"] as const
        : time.percentile
        ? [time.percentile]
        : [];
      return [
        ...decided.flatMap((percentile) =>
          changed(
            { metric: percentile, endpoint: name, unit: "time" },
            endpoint[percentile],
            estimates?.[percentile],
          )
        ),
        ...changed(
          { metric: "Failed requests", endpoint: name, unit: "share" },
          failed,
          estimates?.failed,
        ),
      ];
    }),
  ];
}

function changed(
  metric: Pick<MetricChange, "metric" | "endpoint" | "unit">,
  verdict: ComparedTotal["verdict"],
  estimates: ComparedTotal["estimates"],
): MetricChange[] {
  if (estimates === undefined || verdict !== "worse" && verdict !== "better") return [];
  return [{ ...metric, ...estimates, verdict }];
}

/** A threshold that failed only in the later of two runs. */
export interface BrokenThreshold {
  /** Result in the earlier run. Undefined if that run does not have the threshold. */
  readonly before: ThresholdVerdict | undefined;
  readonly after: ThresholdVerdict;
}
