import { parseYaml } from "../../src/base/yaml.ts";
import { type CommonOptions, run } from "../../src/engine/run_plan.ts";
import type { Summary } from "../../src/engine/summary/summary.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Scenario } from "../../src/plan/kinds/executors.ts";
import type { Step } from "../../src/plan/kinds/steps.ts";
import { type FakeResponse, FakeSender, type Sent } from "./fake_sender.ts";
import type { SocketScript } from "./fake_socket.ts";
import { VirtualClock } from "./virtual_clock.ts";

/** The result of a run in virtual time. */
export interface Outcome {
  readonly summary: Summary;
  readonly sent: readonly Sent[];
}

/** Options of `runInVirtualTime`. */
export interface TestRunOptions extends Partial<Omit<CommonOptions, "clock">> {
  readonly clock?: VirtualClock;
  readonly respond?: (sent: Sent, n: number) => FakeResponse;
  /** Returns the server's script for a WebSocket. */
  readonly socket?: (sent: Sent, n: number) => SocketScript;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Functions to call during the run, keyed by virtual time in ms. */
  readonly during?: Readonly<Record<number, () => void>>;
}

/** Runs a plan in virtual time with a fake sender. */
export async function runInVirtualTime(plan: Plan, options: TestRunOptions = {}): Promise<Outcome> {
  const { clock = new VirtualClock() } = options;
  const sender = new FakeSender(clock, options.respond, options.socket);
  const summary = await clock.drive(run(plan, {
    seed: 1,
    readFile: (path) => new TextEncoder().encode(options.files?.[path]),
    readEnv: (name) => options.env?.[name],
    ...options,
    clock,
    sender,
    // Start timers only here, because virtual time must not pass while the plan is being prepared.
    onStart(endsMs, workers) {
      for (const [time, act] of Object.entries(options.during ?? {})) clock.at(Number(time), act);
      options.onStart?.(endsMs, workers);
    },
  }));
  return { summary, sent: sender.sent };
}

/** Runs one iteration of a flow. */
export function runFlow(
  flow: Step[],
  options: TestRunOptions & { readonly plan?: Partial<Plan> } = {},
): Promise<Outcome> {
  return runInVirtualTime(
    singleScenarioPlan(
      { executor: "per-vu-iterations", vus: 1, iterations: 1, flow },
      options.plan,
    ),
    options,
  );
}

/**
 * Returns a scenario, which sends one request by default. `keys` is the executor and the other keys
 * as in a plan, such as `constant-vus, vus: 2, duration: 1s`.
 */
export function scenarioOf(
  keys: string,
  flow: Step[] = [{ request: { url: "/" } }],
): Scenario {
  return { ...parseYaml(`{executor: ${keys}}`) as Scenario, flow };
}

/** Returns a plan with one scenario, `s`, and the base URL `http://t`. */
export function singleScenarioPlan(scenario: Scenario, rest: Partial<Plan> = {}): Plan {
  return {
    name: "test",
    ...rest,
    defaults: { ...rest.defaults, http: { base_url: "http://t", ...rest.defaults?.http } },
    scenarios: { s: scenario },
  };
}
