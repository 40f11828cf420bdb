import type { Converted } from "../../convert/converted.ts";
import { checkPlan } from "../../plan/check.ts";
import { formatPath } from "../../plan/diagnostic.ts";
import { printPlan } from "../../plan/print.ts";

/** The converted plan as YAML. Throws Error when it is not valid, which is a fault of ours. */
export function planText({ plan, header }: Converted): string {
  const faults = checkPlan(plan).filter(({ severity }) => severity === "error");
  if (faults.length > 0) {
    const told = faults.map(({ code, path, message }) =>
      `${formatPath(path)}: ${code}: ${message}`
    );
    throw new Error(`the plan that it made is not valid: ${told.join("; ")}`);
  }
  return printPlan(plan, header);
}
