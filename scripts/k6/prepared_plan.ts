import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";

/**
 * Returns a copy of the plan that sends every request over HTTP to `port` on 127.0.0.1. Local hosts
 * in URLs become 127.0.0.1. Other hosts stay, and the plan's `hosts` key maps them to that address.
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
 * Number of iterations to run for a plan that reads data, and number of rows to compare in each of
 * its data sources.
 */
const DATA_ITERATIONS = 3;

/**
 * Returns a plan that makes two tools send the same requests:
 *
 * - Each scenario runs its flow once, or three times if the plan reads rows of data.
 * - Every choice of a `random` step runs, in order.
 * - Rows are read in order.
 * - Pauses last a few milliseconds.
 */
export function onlyOnce(plan: Plan): Plan {
  const iterations = plan.data === undefined ? 1 : DATA_ITERATIONS;
  const scenarios = Object.entries(plan.scenarios).map(([name, scenario]) => [name, {
    executor: "per-vu-iterations" as const,
    vus: 1,
    iterations,
    ...(scenario.new_user === undefined ? {} : { new_user: scenario.new_user }),
    flow: withShortPauses(withAllChoices(scenario.flow)),
  }]);
  const data = Object.entries(plan.data ?? {}).map(([name, { weight_column: _, ...feeder }]) => [
    name,
    { ...feeder, pick: "sequential" as const },
  ]);
  return {
    ...plan,
    ...(plan.data === undefined ? {} : { data: Object.fromEntries(data) }),
    scenarios: Object.fromEntries(scenarios),
  };
}

/**
 * Returns a copy of the flow in which each pause keeps its kind but lasts only a few milliseconds.
 */
export function withShortPauses(flow: readonly Step[]): Step[] {
  const short = (pause: unknown): unknown => {
    if (typeof pause !== "object" || pause === null) return "2ms";
    const { type } = pause as { readonly type: string };
    if (type === "uniform") return { type, min: "0ms", max: "4ms" };
    return type === "gaussian" ? { type, mean: "2ms", std_dev: "1ms" } : { type, duration: "2ms" };
  };
  return JSON.parse(
    JSON.stringify(flow),
    (key, value) => key === "think_time" ? short(value) : value,
  ) as Step[];
}

function withAllChoices(flow: readonly Step[]): Step[] {
  return flow.flatMap((step): Step[] => {
    if (step.group !== undefined) {
      return [{ group: { ...step.group, steps: withAllChoices(step.group.steps) } }];
    }
    if (step.random === undefined) return [step];
    return step.random.choices.flatMap(({ steps }) => withAllChoices(steps));
  });
}
