import type { Diagnostic } from "./diagnostic.ts";
import type { PlanFiles } from "./files.ts";
import { plan as planSchema } from "./schema/plan.ts";

/** How a plan is checked. */
export interface CheckOptions {
  /** The files that the plan names are looked at through this; without it they are not. */
  readonly files?: PlanFiles;
}

/** Everything wrong with a plan, in document order; no errors among it means that it is a `Plan`. */
export function checkPlan(value: unknown, _options: CheckOptions = {}): Diagnostic[] {
  const result = planSchema.safeParse(value);
  return (result.error?.issues ?? []).map(({ path, message }) => ({
    code: "wrong-type",
    severity: "error",
    path: path as (string | number)[],
    message,
  }));
}
