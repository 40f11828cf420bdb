import type { MetricKind } from "../../plan/text/metrics.ts";
import { toNumber } from "./conversions.ts";
import { truth } from "./operators.ts";

/**
 * Converts a value for a metric: to a boolean for a rate, otherwise to a number. Throws
 * TemplateFault if a number is required and the value does not represent one.
 */
export function metricValue(kind: MetricKind, value: unknown): number | boolean {
  return kind === "rate" ? truth(value) : Number(toNumber(value));
}
