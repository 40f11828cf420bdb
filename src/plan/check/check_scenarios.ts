import { durationMs } from "../../base/duration.ts";
import { excessiveLoad } from "../load_limits.ts";
import { isMap } from "../values/schema_walk.ts";
import { reportUses } from "../rules/variables.ts";
import type { CheckContext } from "../rules/check_context.ts";

/** Prepares the context for a scenario: clears the set variables, because scenarios do not share them. */
export function startScenario(context: CheckContext): void {
  context.outerUses.push(...context.uses);
  context.given = new Map();
  context.uses = [];
}

/** Checks a scenario after its content: the uses of its variables, its limits and its number of VUs. */
export function checkScenario(context: CheckContext, scenario: Record<string, unknown>): void {
  reportUses(context, context.uses, context.given);
  context.addTagValue("scenario", context.path.at(-1));
  context.uses = [];
  for (const [name, path] of context.given) context.everGiven.set(name, path);
  for (const { below, message } of excessiveLoad(scenario)) {
    context.report("bad-value", message, { below });
  }
  const { pre_allocated_vus: min, max_vus: max = min } = scenario;
  if (typeof min !== "number" || typeof max !== "number") return;
  if (max < min) {
    const message =
      `\`max_vus\` is less than \`pre_allocated_vus\`: expected at least ${min}, found ${max}`;
    context.report("bad-value", message, { below: ["max_vus"] });
  } else if (max === 0) {
    const message =
      "the scenario has no VUs: expected `pre_allocated_vus` or `max_vus` of at least 1";
    context.report("bad-value", message, { below: ["pre_allocated_vus"] });
  }
}

/** Reports a plan without scenarios. */
export function checkScenarios(context: CheckContext, scenarios: Record<string, unknown>): void {
  if (Object.keys(scenarios).length === 0) {
    context.report("no-scenarios", "the plan has no scenarios: expected at least one");
  }
}

/** Reports a uniform pause whose minimum exceeds its maximum. */
export function checkUniform(context: CheckContext, { min, max }: Record<string, unknown>): void {
  if (toMs(min) > toMs(max)) {
    context.report("bad-value", `\`min\` is longer than \`max\`: found ${min} and ${max}`, {
      below: ["min"],
    });
  }
}

/** Reports weighted choices whose weights are all 0. */
export function checkRandom(
  context: CheckContext,
  { strategy, choices }: Record<string, unknown>,
): void {
  if (!Array.isArray(choices) || strategy !== undefined && strategy !== "weighted") return;
  if (choices.length > 0 && choices.every((choice) => isMap(choice) && choice.weight === 0)) {
    const message = "every weight is 0: expected one above 0, or another `strategy`";
    context.report("bad-value", message, { below: ["choices"] });
  }
}

function toMs(value: unknown): number {
  const isDuration = typeof value === "string" || typeof value === "number";
  return (isDuration ? durationMs(value) : undefined) ?? NaN;
}
