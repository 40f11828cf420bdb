import * as z from "zod";
import type { CheckContext } from "../rules/check_context.ts";
import { METRICS } from "../text/metrics.ts";

const KINDS = ["counter", "gauge", "rate", "trend"] as const;

/** Schemas of the keys `name` and `type`, which define a metric in a plan. */
export const metricKeys = {
  name: z.string().regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    "not a metric name: use letters, digits and `_`, and do not start with a digit",
  ).meta({
    description: "Name of the metric, used in thresholds and reports",
    examples: ["cart_total"],
  }),
  type: z.enum(KINDS).describe(
    "Kind of the metric: `counter` adds up whole numbers, `gauge` keeps the last number, `rate` is the " +
      "fraction of true values, `trend` is the distribution of durations in milliseconds",
  ),
};

/**
 * Records the name and the kind of a metric that the plan defines. Reports an error if the name is
 * reserved, or if another step defines the metric with a different kind.
 */
export function declareMetric(
  context: CheckContext,
  { name, type }: { readonly name?: unknown; readonly type?: unknown },
): void {
  const kind = KINDS.find((kind) => kind === type);
  if (typeof name !== "string" || kind === undefined) return;
  const known = METRICS.get(name) ?? context.ownMetrics.get(name);
  if (METRICS.has(name)) {
    const message = `"${name}" is a built-in metric: choose another name`;
    context.report("reserved-name", message, { below: ["name"] });
  } else if (known !== undefined && known !== kind) {
    const message = `the metric "${name}" is a ${known} in another step: expected the same type`;
    context.report("bad-value", message, { below: ["type"] });
  } else context.ownMetrics.set(name, kind);
}
