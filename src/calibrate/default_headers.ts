import type { Request } from "../plan/kinds/request.ts";
import { listRequests, mapSteps } from "../plan/kinds/list_requests.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { Plan } from "../plan/schema/plan.ts";

type Headers = NonNullable<Request["headers"]>;

/**
 * Writes the headers of `defaults.http` into each request, so that each request can be changed
 * separately.
 */
export function inlineDefaultHeaders(plan: Plan): Plan {
  const headers = plan.defaults?.http?.headers;
  if (headers === undefined) return plan;
  return {
    ...mapRequests(plan, (request) => ({
      ...request,
      headers: { ...without(headers, request.headers ?? {}), ...request.headers },
    })),
    defaults: { ...plan.defaults, http: { ...plan.defaults?.http, headers: undefined } },
  };
}

/**
 * Restores the default headers of `given`. Removes headers that are equal to the defaults from each
 * request of `plan`, unless the same request in `given` also has them.
 */
export function collapseDefaultHeaders(plan: Plan, given: Plan): Plan {
  const { defaults } = given;
  const headers = defaults?.http?.headers;
  if (headers === undefined) return plan;
  const originals = listAll(given).values();
  const collapsed = mapRequests(plan, (request) => {
    const before = originals.next().value?.headers;
    const own = Object.entries(request.headers ?? {}).filter(([name, value]) =>
      headers[name] !== value || before !== undefined && Object.hasOwn(before, name)
    );
    const isEmpty = own.length === 0 && before === undefined;
    return { ...request, headers: isEmpty ? undefined : Object.fromEntries(own) };
  });
  return { ...collapsed, defaults };
}

function listAll({ scenarios }: Plan): Request[] {
  return Object.values(scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
}

function without(headers: Headers, others: Headers): Headers {
  const names = new Set(Object.keys(others).map((name) => name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())),
  );
}

function mapRequests(plan: Plan, map: (request: Request) => Request): Plan {
  const changed = (step: Step) => step.request ? { ...step, request: map(step.request) } : step;
  return {
    ...plan,
    scenarios: Object.fromEntries(
      Object.entries(plan.scenarios).map(([name, scenario]) => [
        name,
        { ...scenario, flow: mapSteps(scenario.flow, changed) },
      ]),
    ),
  };
}
