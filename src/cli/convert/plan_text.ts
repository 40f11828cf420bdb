import { IS_RELEASE, PLAN_SCHEMA_URL } from "../../base/release.ts";
import type { Converted } from "../../convert/converted.ts";
import { checkPlan } from "../../plan/check_plan.ts";
import { printPieces } from "../../plan/print.ts";
import { formatPath } from "../../plan/rules/diagnostic.ts";

/**
 * Comment at the start of a plan with the URL of the JSON Schema, for an editor's YAML language
 * server.
 */
const MODELINE = IS_RELEASE ? [`# yaml-language-server: $schema=${PLAN_SCHEMA_URL}\n`] : [];

/**
 * Formats a converted plan as YAML, in pieces. Throws Error if the plan is invalid, which means
 * that the converter has a bug.
 */
export function planText({ plan, header }: Converted): readonly string[] {
  const pieces = [...MODELINE, ...printPieces(plan, header)];
  const faults = checkPlan(plan).filter(({ severity }) => severity === "error");
  if (faults.length > 0) {
    const reasons = faults.map(({ code, path, message }) =>
      `${formatPath(path)}: ${code}: ${message}`
    );
    throw new Error(`the converted plan is invalid: ${reasons.join("; ")}`);
  }
  return pieces;
}
