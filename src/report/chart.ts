import { safeText } from "../base/safe_text.ts";
import type { EndpointStats } from "../engine/summary/flow_stats.ts";
import type { Summary } from "../engine/summary/summary.ts";
import { parseSelector, parseThreshold } from "../plan/rules/thresholds.ts";

/** Color of a line in a chart. `quiet` is the gray of reference lines. */
export type SeriesTone = "one" | "two" | "three" | "quiet" | "warn";

/** A line of a chart. */
export interface Series {
  readonly label: string;
  readonly tone: SeriesTone;
  /** One value for each value of the x-axis. Null leaves a gap in the line. */
  readonly values: readonly (number | null)[];
  readonly dashed?: boolean;
  /** True to draw steps: the line stays at each value until the next point. */
  readonly stepped?: boolean;
}

export interface Chart {
  readonly title: string;
  /** Key of the x-axis in `ChartData.axes`. */
  readonly axis: string;
  /** Unit of the values. A `rate` is per second, and a `share` is from 0 to 1. */
  readonly unit: "count" | "rate" | "ms" | "share";
  readonly series: readonly Series[];
  /** Title of the y-axis, such as `requests per second`. */
  readonly label?: string;
  /** Horizontal lines at the limits of thresholds. */
  readonly limits?: readonly Limit[];
}

/** Limit that a threshold sets, drawn as a horizontal line in a chart. */
export interface Limit {
  /** Limit in the unit of the chart. */
  readonly value: number;
  /** Threshold, such as `p(95)<400`. */
  readonly label: string;
}

/** Data for the charts on a page. The page's script draws them. */
export interface ChartData {
  /**
   * Values of each x-axis in ascending order, keyed by axis. The axis `seconds` contains seconds
   * since the start of the run, `utc` contains Unix seconds, and `percentiles` contains positions
   * as in `PercentilePoint`.
   */
  readonly axes: Readonly<Record<string, readonly number[]>>;
  readonly charts: readonly Chart[];
  /** Time zone in which the axis `utc` is labeled (default: `UTC`). */
  readonly zone?: string;
  /** Start of the run in Unix seconds. If present, the cursor also shows the time of day in UTC. */
  readonly start?: number;
  /** Details of endpoints, which the page shows on demand. */
  readonly details?: readonly EndpointDetail[];
}

/** Details of an endpoint: properties, and charts over time. */
export interface EndpointDetail {
  /** Pairs of a name and a string, such as `["p90", "12ms"]`. */
  readonly facts: readonly (readonly [name: string, text: string])[];
  /** Length of an interval in seconds. The first interval starts with the run. */
  readonly step: number;
  /** Charts with one value for each interval. */
  readonly charts: readonly Chart[];
}

/** Thresholds of a summary or of a plan. */
export type LimitThresholds = readonly Pick<
  Summary["thresholds"][number],
  "metric" | "expression"
>[];

/**
 * Returns the limits that thresholds set for all requests, keyed by the title of the chart that
 * shows them: limits on percentiles and averages of the response time, and on the share of failed
 * requests.
 */
export function chartLimits({ thresholds }: { readonly thresholds: LimitThresholds }): {
  readonly Latency: readonly Limit[];
  readonly Errors: readonly Limit[];
} {
  return {
    Latency: limitsOf(thresholds, "http_req_duration", (tags) => tags.length === 0),
    Errors: limitsOf(thresholds, "http_req_failed", (tags) => tags.length === 0),
  };
}

/** Returns the limits that thresholds set on the response time of exactly this endpoint. */
export function endpointLimits(
  { thresholds }: Pick<Summary, "thresholds">,
  endpoint: EndpointStats,
): readonly Limit[] {
  const known = new Map(
    (["scenario", "group", "name", "method"] as const).map((key) => [key as string, endpoint[key]]),
  );
  return limitsOf(
    thresholds,
    "http_req_duration",
    (tags) => tags.length > 0 && tags.every(([tag, value]) => known.get(tag) === value),
  );
}

function limitsOf(
  thresholds: LimitThresholds,
  metric: string,
  selects: (tags: readonly (readonly [string, string])[]) => boolean,
): Limit[] {
  return thresholds.flatMap(({ metric: key, expression }) => {
    try {
      const selector = parseSelector(key);
      if (selector.metric !== metric || !selects(selector.tags)) return [];
      return [{ value: parseThreshold(expression).value, label: safeText(expression) }];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}
