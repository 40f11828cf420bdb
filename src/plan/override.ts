import { UsageError } from "../base/errors.ts";
import { isMap } from "../base/exact_number.ts";
import { durationMs } from "../base/format.ts";
import { didYouMean } from "../base/nearest.ts";
import { withDoubles } from "./normalize_plan.ts";
import {
  excessiveLoad,
  isOpenModel,
  plannedIterations,
  type Scenario,
  withLoad,
} from "./kinds/executors.ts";
import { mapPlanSteps, mapSteps } from "./kinds/list_requests.ts";
import type { Step } from "./kinds/steps.ts";
import type { LoadChanges } from "./kinds/scenario.ts";
import { formatPath } from "./rules/diagnostic.ts";
import type { Plan } from "./schema/plan.ts";
import { withMovedHeaders } from "./targets.ts";
import { literal } from "./text/template.ts";
import { withoutLogin } from "./text/user_info.ts";

/**
 * Returns the plan with the overlay `name` merged into it. Maps are merged key by key. Scalars and
 * lists of the overlay replace those of the plan. If the overlay replaces the base URL, `Origin`
 * and `Referer` headers with the old origin change to the new one. If the plan has no overlay with
 * this name, throws a `UsageError` that lists the plan's overlays.
 */
export function mergeEnv(plan: Plan, name: string): Plan {
  const { env = {}, ...base } = plan;
  if (!Object.hasOwn(env, name)) throw new UsageError(unknownEnv(name, Object.keys(env)));
  const overlay = env[name] as Partial<Plan>;
  const baseUrl: unknown = overlay.defaults?.http?.base_url;
  const moved = typeof baseUrl === "string" ? withMovedHeaders(base, baseUrl) : base;
  return withDoubles(mergeMaps(moved, overlay)) as Plan;
}

/**
 * Maps are merged key by key; any other value in `over` replaces that in `base`. Changes neither.
 */
export function mergeMaps(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over;
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    merged.set(key, merged.has(key) ? mergeMaps(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}

function unknownEnv(name: string, known: readonly string[]): string {
  if (known.length === 0) return `no overlay "${name}": the plan has no \`env\``;
  const hint = didYouMean(name, known);
  return `no overlay "${name}": the plan has ${known.join(", ")}${hint && `; ${hint}`}`;
}

/** Changes to a plan from command-line options. Absent properties leave the plan unchanged. */
export interface Overrides extends LoadChanges {
  /**
   * Value for `defaults.http.base_url`: an `http` or `https` URL. `Origin` and `Referer` headers
   * that have the origin of the plan's base URL get the origin of this URL.
   */
  readonly baseUrl?: string;
  /** Names of the scenarios to run. If empty or absent, all scenarios run. */
  readonly scenarios?: readonly string[];
  /** Values for `variables`, by name. They are sent verbatim: `${…}` in them is not replaced. */
  readonly variables?: ReadonlyMap<string, string>;
}

/**
 * Returns the plan with the overrides applied. Does not change `given`. Throws a `UsageError` if an
 * override is invalid, affects no scenario, or exceeds the limits on load.
 *
 * @example
 * ```ts
 * import { assertEquals, assertObjectMatch } from "@std/assert";
 * import { loadPlan } from "./load_plan.ts";
 * import { override } from "./override.ts";
 *
 * const { plan } = loadPlan(`
 * scenarios:
 *   main:
 *     executor: constant-vus
 *     vus: 2
 *     duration: 10s
 *     flow:
 *       - request: {url: /}
 * `);
 * const changed = override(plan!, { vus: 50, baseUrl: "https://staging.example" });
 * assertEquals(changed.defaults?.http?.base_url, "https://staging.example");
 * assertObjectMatch(changed.scenarios.main, { vus: 50, duration: "10s" });
 * ```
 */
export function override(given: Plan, overrides: Overrides): Plan {
  const { baseUrl, variables } = overrides;
  const plan = baseUrl === undefined ? given : withBaseUrl(given, baseUrl);
  const scenarios = selectScenarios(plan.scenarios, overrides.scenarios ?? []);
  checkUse(Object.values(scenarios), overrides);
  return {
    ...plan,
    ...(variables?.size && { variables: withVariables(plan.variables ?? {}, variables) }),
    scenarios: Object.fromEntries(
      Object.entries(scenarios).map(([name, scenario]) => [
        name,
        withinLimits(name, withLoad(scenario, overrides)),
      ]),
    ),
  };
}

function withinLimits(name: string, scenario: Scenario): Scenario {
  const [excess] = excessiveLoad(scenario);
  if (excess === undefined) return scenario;
  throw new UsageError(
    `the options make \`scenarios.${name}.${
      formatPath(excess.below)
    }\` too large: ${excess.message}`,
  );
}

function selectScenarios(all: Plan["scenarios"], names: readonly string[]): Plan["scenarios"] {
  if (names.length === 0) return all;
  for (const name of names) mustHave(name, Object.keys(all), "scenario");
  const kept = Object.entries(all).filter(([name]) => names.includes(name));
  return Object.fromEntries(kept.map(([name, { after, ...scenario }]) => [
    name,
    // A scenario does not wait for one that does not run.
    { ...scenario, ...(after !== undefined && names.includes(after) && { after }) },
  ]));
}

function withBaseUrl(plan: Plan, url: string): Plan {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new UsageError(
      `--base-url cannot be ${withoutLogin(url)}: expected a URL such as http://host:8080`,
    );
  }
  if (/[?#]/.test(url)) {
    throw new UsageError(
      "--base-url cannot contain a query or fragment: remove everything from the first ? or #",
    );
  }
  const baseUrl = literal(url);
  const { defaults, ...moved } = withMovedHeaders(plan, baseUrl);
  return { ...moved, defaults: { ...defaults, http: { ...defaults?.http, base_url: baseUrl } } };
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
  const list = known.length === 0
    ? `it has no ${what}s`
    : known.length === 1
    ? `its only ${what} is ${known[0]}`
    : `its ${what}s are ${known.join(", ")}`;
  throw new UsageError(`the plan has no ${what} ${name}: ${list}${hint && `; ${hint}`}`);
}

/** Throws a `UsageError` if the duration is invalid or if an override affects no scenario. */
function checkUse(scenarios: readonly Scenario[], overrides: Overrides): void {
  const { duration, iterations, rateScale } = overrides;
  if (duration !== undefined && !durationMs(duration)) {
    throw new UsageError(
      `--duration cannot be ${duration}: expected a duration above 0, such as 30s or 1m30s`,
    );
  }
  if (
    iterations !== undefined &&
    scenarios.every((scenario) => plannedIterations(scenario) === Infinity)
  ) {
    throw new UsageError("--iterations has no effect: no scenario in the plan has `iterations`");
  }
  if (rateScale !== undefined && !scenarios.some((s) => isOpenModel(s.executor))) {
    throw new UsageError("--rate-scale has no effect: no scenario in the plan has an arrival rate");
  }
}

/**
 * Returns the plan that `--once` runs: a copy without thresholds, in which each scenario runs one
 * iteration on one VU. Recorded visits pause for at most one second.
 */
export function oneIteration(plan: Plan): Plan {
  const scenarios = Object.entries(plan.scenarios).map((
    [name, scenario],
  ) => [name, once(scenario)]);
  return { ...plan, thresholds: undefined, scenarios: Object.fromEntries(scenarios) };
}

function once(
  { flow, think_time, tags, new_user, new_connections, after }: Scenario,
): Scenario {
  const kept = {
    flow: mapSteps(
      flow,
      (step) => step.visits ? { visits: { ...step.visits, max_pause: "1s" } } : step,
    ),
    think_time,
    tags,
    new_user,
    new_connections,
    ...(after !== undefined && { after }),
  };
  return { executor: "per-vu-iterations", vus: 1, iterations: 1, ...kept };
}

/**
 * Replaces each `random` step with the steps of all its choices, except those with a weight of 0.
 */
export function withEveryChoice(plan: Plan): Plan {
  return mapPlanSteps(plan, allChoices);
}

function allChoices(step: Step): readonly Step[] {
  if (step.random === undefined) return [step];
  const { strategy = "weighted", choices } = step.random;
  return choices.filter(({ weight }) => strategy !== "weighted" || weight !== 0)
    .flatMap(({ steps }) => steps.flatMap(allChoices));
}
