import { durationMs } from "../base/duration.ts";
import { UsageError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { formatPath } from "./diagnostic.ts";
import { excessiveLoad } from "./load_limits.ts";
import { type LoadChanges, overrideScenario } from "./override_scenario.ts";
import type { Plan } from "./schema/plan.ts";
import type { Scenario } from "./schema/scenario.ts";
import { literal } from "./template.ts";

/** What a command line may change of a plan. What is absent stays as the plan has it. */
export interface Overrides extends LoadChanges {
  readonly baseUrl?: string;
  /** The scenarios to play; all when empty or absent. */
  readonly scenarios?: readonly string[];
  /** Values of variables, as they are sent: nothing in them interpolates. */
  readonly variables?: ReadonlyMap<string, string>;
}

/** The plan with its overrides in place; `plan` is not changed. Throws UsageError for what does not fit it. */
export function override(plan: Plan, overrides: Overrides): Plan {
  const { baseUrl, variables } = overrides;
  const scenarios = chosen(plan.scenarios, overrides.scenarios ?? []);
  checkUse(Object.values(scenarios), overrides);
  return {
    ...plan,
    ...(baseUrl !== undefined && { defaults: withBaseUrl(plan.defaults, baseUrl) }),
    ...(variables?.size && { variables: withVariables(plan.variables ?? {}, variables) }),
    scenarios: Object.fromEntries(
      Object.entries(scenarios).map(([name, scenario]) => [
        name,
        withinLimits(name, overrideScenario(scenario, overrides)),
      ]),
    ),
  };
}

function withinLimits(name: string, scenario: Scenario): Scenario {
  const [excess] = excessiveLoad(scenario);
  if (excess === undefined) return scenario;
  throw new UsageError(
    `the options change scenarios.${name}.${formatPath(excess.below)} too much: ${excess.message}`,
  );
}

function chosen(all: Plan["scenarios"], names: readonly string[]): Plan["scenarios"] {
  if (names.length === 0) return all;
  for (const name of names) mustHave(name, Object.keys(all), "scenario");
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

function withBaseUrl(defaults: Plan["defaults"], url: string): Plan["defaults"] {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new UsageError(`--base-url cannot be ${url}: write an address such as http://host:8080`);
  }
  return { ...defaults, http: { ...defaults?.http, base_url: literal(url) } };
}

function withVariables(
  variables: NonNullable<Plan["variables"]>,
  given: ReadonlyMap<string, string>,
): Plan["variables"] {
  for (const name of given.keys()) mustHave(name, Object.keys(variables), "variable");
  const literals = [...given].map(([name, value]) => [name, literal(value)]);
  return { ...variables, ...Object.fromEntries(literals) };
}

function mustHave(name: string, known: readonly string[], what: string): void {
  if (known.includes(name)) return;
  const hint = didYouMean(name, known);
  const there = known.length === 0 ? "none" : known.join(", ");
  throw new UsageError(`the plan has no ${what} ${name}: it has ${there}${hint && `; ${hint}`}`);
}

/** An override that no scenario has a use for is a mistake: said, not ignored. */
function checkUse(scenarios: readonly Scenario[], overrides: Overrides): void {
  const { duration, iterations, rateScale } = overrides;
  if (duration !== undefined && !durationMs(duration)) {
    throw new UsageError(`--duration cannot be ${duration}: write a time such as 30s or 1m30s`);
  }
  if (iterations !== undefined && !scenarios.some((scenario) => "iterations" in scenario)) {
    throw new UsageError("--iterations has no use: no scenario of the plan counts iterations");
  }
  if (rateScale !== undefined && !scenarios.some((s) => s.executor.endsWith("arrival-rate"))) {
    throw new UsageError("--rate-scale has no use: no scenario of the plan has an arrival rate");
  }
}
