import { durationMs } from "../../base/duration.ts";
import { excessiveLoad } from "../load_limits.ts";
import { isMap } from "../schema/branch.ts";
import { reportUses } from "./variables.ts";
import type { CheckContext } from "./check_context.ts";

/** A scenario's VUs share no variables with another's. */
export function startScenario(walk: CheckContext): void {
  walk.outerUses.push(...walk.uses);
  walk.given = new Map();
  walk.uses = [];
}

/** Closes a scenario: its variables, and the keys that go together. */
export function checkScenario(walk: CheckContext, scenario: Record<string, unknown>): void {
  reportUses(walk, walk.uses, walk.given);
  walk.addTagValue("scenario", walk.path.at(-1));
  walk.uses = [];
  for (const [name, path] of walk.given) walk.everGiven.set(name, path);
  for (const { below, message } of excessiveLoad(scenario)) {
    walk.report("bad-value", message, { below });
  }
  const { pre_allocated_vus: least, max_vus: most = least } = scenario;
  if (typeof least !== "number" || typeof most !== "number") return;
  if (most < least) {
    const message = `max_vus is ${most}, less than pre_allocated_vus: expected at least ${least}`;
    walk.report("bad-value", message, { below: ["max_vus"] });
  } else if (most === 0) {
    const message = "no VU at all: expected pre_allocated_vus or max_vus of at least 1";
    walk.report("bad-value", message, { below: ["pre_allocated_vus"] });
  }
}

/** A plan does something. */
export function checkScenarios(walk: CheckContext, scenarios: Record<string, unknown>): void {
  if (Object.keys(scenarios).length === 0) {
    walk.report("no-scenarios", "no scenarios: expected at least one");
  }
}

/** The ends of a uniform pause, in order. */
export function checkUniform(walk: CheckContext, { min, max }: Record<string, unknown>): void {
  if (milliseconds(min) > milliseconds(max)) {
    walk.report("bad-value", `min is longer than max: ${min}, ${max}`, { below: ["min"] });
  }
}

/** Choices by weight: some choice has one. */
export function checkRandom(
  walk: CheckContext,
  { strategy, choices }: Record<string, unknown>,
): void {
  if (!Array.isArray(choices) || strategy !== undefined && strategy !== "weighted") return;
  if (choices.length > 0 && choices.every((choice) => isMap(choice) && choice.weight === 0)) {
    const message = "every weight is 0: expected one above 0, or another strategy";
    walk.report("bad-value", message, { below: ["choices"] });
  }
}

function milliseconds(value: unknown): number {
  const known = typeof value === "string" || typeof value === "number";
  return (known ? durationMs(value) : undefined) ?? NaN;
}
