import type { Converted } from "../../convert/converted.ts";
import { checkPlan } from "../../plan/check_plan.ts";
import { printPlan } from "../../plan/print.ts";
import { formatPath } from "../../plan/rules/diagnostic.ts";

/**
 * Formats a converted plan as YAML. Throws Error if the plan is invalid, because that is a bug in
 * the converter.
 */
export function planText({ plan, header }: Converted): string {
  const faults = checkPlan(plan).filter(({ severity }) => severity === "error");
  if (faults.length > 0) {
    const reasons = faults.map(({ code, path, message }) =>
      `${formatPath(path)}: ${code}: ${message}`
    );
    throw new Error(`the converted plan is invalid: ${reasons.join("; ")}`);
  }
  return printPlan(plan, header);
}
