import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Step } from "../../src/plan/kinds/steps/steps.ts";

/**
 * Returns a plan that sends every request to 127.0.0.1: URLs keep their hosts, which `hosts` maps to
 * the port, and HTTPS becomes HTTP.
 */
export function atServer(plan: Plan, port: number): Plan {
  const hosts: Record<string, string> = {};
  const text = JSON.stringify(plan).replace(
    /"((?:https?|wss?):)\/\/([^/?#"\\$]+)/g,
    (found, _scheme, authority: string) => {
      const host = authority.replace(/^.*@/, "");
      if (host.startsWith("127.0.0.1") || host.startsWith("localhost")) {
        return found.replace(/:\/\/.*$/, `://127.0.0.1:${port}`).replace("https:", "http:");
      }
      hosts[host.includes(":") ? host : host] = `127.0.0.1:${port}`;
      return `"http://${authority}`;
    },
  );
  const prepared = JSON.parse(text) as Plan;
  return {
    ...prepared,
    defaults: {
      ...prepared.defaults,
      http: { ...prepared.defaults?.http, ...(Object.keys(hosts).length > 0 && { hosts }) },
    },
  };
}

/**
 * Returns a plan in which each scenario runs its flow once, and in which every choice of a `random`
 * step runs, in order, so that two tools send the same requests.
 */
export function onlyOnce(plan: Plan): Plan {
  const scenarios = Object.entries(plan.scenarios).map(([name, scenario]) => [name, {
    executor: "per-vu-iterations" as const,
    vus: 1,
    iterations: 1,
    ...(scenario.new_user === undefined ? {} : { new_user: scenario.new_user }),
    flow: withAllChoices(scenario.flow),
  }]);
  return { ...plan, scenarios: Object.fromEntries(scenarios) };
}

function withAllChoices(flow: readonly Step[]): Step[] {
  return flow.flatMap((step): Step[] => {
    if (step.think_time !== undefined) return [];
    if (step.random === undefined) return [step];
    return step.random.choices.flatMap(({ steps }) => withAllChoices(steps));
  });
}
