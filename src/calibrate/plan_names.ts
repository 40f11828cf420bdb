import { allFlows, listRequests, listSteps } from "../plan/kinds/list_requests.ts";
import { RESERVED } from "../plan/expressions/expression.ts";
import type { Plan } from "../plan/schema/plan.ts";

/**
 * Names of the variables and data sources that a plan defines, except by extractors of the requests
 * in its scenarios.
 */
export class PlanNames {
  readonly #names: ReadonlySet<string>;

  constructor(plan: Plan) {
    this.#names = definedNames(plan);
  }

  /**
   * Reports whether the plan sets a name in any way other than by the extractors of the requests
   * in its scenarios, for example in a `set` step or as a data source.
   */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  /**
   * Returns a variable name that neither the plan nor `extracted` contains, derived from a field
   * name.
   */
  unusedName(field: string, extracted: readonly string[]): string {
    const bare = field.replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase()
      .replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 40) || "value";
    const base = /^\d/.test(bare) ? `value_${bare}` : bare;
    const taken = this.#names.union(new Set(extracted));
    let name = base;
    for (let n = 2; taken.has(name) || RESERVED.has(name); n++) name = `${base}_${n}`;
    return name;
  }
}

function definedNames(plan: Plan): Set<string> {
  const steps = allFlows(plan).flatMap((flow) => [...listSteps(flow)]);
  const around = [...plan.setup ?? [], ...plan.teardown ?? []];
  return new Set([
    ...Object.keys(plan.variables ?? {}),
    ...Object.keys(plan.data ?? {}),
    ...[...listRequests(around)].flatMap(({ extract = [] }) => extract.map(({ name }) => name)),
    ...steps.flatMap(({ expect, set, foreach }) => [
      ...(expect?.extract ?? []).map(({ name }) => name),
      ...Object.keys(set ?? {}),
      ...(foreach === undefined ? [] : [foreach.as]),
    ]),
  ]);
}
