import { safeText } from "../../base/safe_text.ts";
import { parseSelector, parseThreshold } from "../../plan/text/threshold.ts";
import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import type { Limit } from "./chart.ts";

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
