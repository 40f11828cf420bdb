import { isMap } from "../../base/exact_number.ts";
import { didYouMean } from "../../base/nearest.ts";
import type { CheckContext } from "./check_context.ts";

/** Reports each `after` that does not name another scenario or that is part of a cycle. */
export function checkSequence(context: CheckContext, scenarios: Record<string, unknown>): void {
  const names = Object.keys(scenarios);
  for (const name of names) {
    const chain = [name];
    for (let next = afterIn(scenarios, name); next !== undefined;) {
      const below = [name, "after"];
      if (!names.includes(next)) {
        if (chain.length > 1) break; // Reported for the scenario that names it.
        const hint = didYouMean(next, names);
        context.report("bad-value", `the plan has no scenario ${JSON.stringify(next)}`, {
          below,
          hint: hint || undefined,
        });
        break;
      }
      if (chain.includes(next)) {
        if (next !== name) break; // Reported for the scenarios of the cycle.
        const cycle = [...chain, next].map((one) => JSON.stringify(one)).join(" after ");
        context.report("bad-value", `scenarios cannot wait for each other: ${cycle}`, { below });
        break;
      }
      chain.push(next);
      next = afterIn(scenarios, next);
    }
  }
}

function afterIn(scenarios: Record<string, unknown>, name: string): string | undefined {
  const scenario = scenarios[name];
  if (!isMap(scenario)) return undefined;
  return typeof scenario.after === "string" ? scenario.after : undefined;
}
