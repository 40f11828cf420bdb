import { UsageError } from "../../base/errors.ts";
import { parseThreshold } from "../../plan/text/threshold.ts";
import type { Plan } from "../../plan/schema/plan.ts";

/** Default pass criteria of a plan: a limit on response times and a limit on failed requests. */
export const DEFAULT_CRITERIA = "p(95)<500ms, failed<1%";

const FAILED = /^(?:failed|errors?)\s*(<=?)\s*(\d+(?:\.\d+)?)\s*(%?)$/i;

/**
 * Parses pass criteria, such as `p(95)<500ms, failed<1%`, into the thresholds of a plan. `none`
 * results in no thresholds. Throws UsageError if a criterion is invalid.
 */
export function parseCriteria(text: string): Plan["thresholds"] {
  const parts = text.split(",").map((part) => part.trim()).filter(Boolean);
  if (parts.length === 0 || text.trim().toLowerCase() === "none") return undefined;
  const thresholds: Record<string, string[]> = {};
  for (const part of parts) {
    const [metric, expression] = parseCriterion(part);
    (thresholds[metric] ??= []).push(expression);
  }
  return thresholds;
}

function parseCriterion(text: string): [metric: string, expression: string] {
  const failed = FAILED.exec(text);
  if (failed !== null) {
    const [, operator, number, unit] = failed;
    const share = unit === "%" ? Number((Number(number) / 100).toPrecision(12)) : Number(number);
    if (share >= 1) {
      throw new UsageError(
        `--pass cannot be ${text}: expected a share below 100%, such as failed<1% or failed<0.01`,
      );
    }
    return ["http_req_failed", `rate${operator}${share}`];
  }
  const expression = text.replace(/^p(\d+(?:\.\d+)?)/, "p($1)").replace(/\s+/g, "");
  try {
    const { aggregation } = parseThreshold(expression);
    if (["p", "avg", "med", "max", "min"].includes(aggregation)) {
      return ["http_req_duration", expression];
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new UsageError(
    `--pass cannot be ${text}: expected a response time or a share of failed requests, such as ` +
      `${DEFAULT_CRITERIA}, or none`,
  );
}
