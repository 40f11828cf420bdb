import { RunError } from "../base/errors.ts";
import { WHOLE } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { SetupValues } from "./flow/scope.ts";
import type { Snapshot } from "./metrics/snapshot.ts";
import type { ErrorStats } from "./summary/flow_stats.ts";
import type { Runner, RunResult } from "./runner.ts";
import { type ShardParts, ShardRunner } from "./shard_runner.ts";

/** Dependencies of a run with `setup` and `teardown`. */
export interface SetupParts extends Omit<ShardParts, "setup" | "samples" | "details" | "onEnd"> {
  readonly stop?: AbortSignal;
  readonly kill?: AbortSignal;
}

/**
 * Creates a runner with `make` and runs `setup`, whose variables the runner can then use. The
 * returned runner runs `teardown` after the load, unless the run is killed. Compiles everything
 * before it sends the first request. Throws InputError if the plan cannot run, and RunError if
 * `setup` fails.
 */
export async function withSetup<Made extends Runner | undefined>(
  plan: Plan,
  parts: SetupParts,
  make: (setup: SetupValues) => Made | Promise<Made>,
): Promise<Made | Runner> {
  const values: SetupValues = { current: {} };
  const runner = await make(values);
  const { setup, teardown } = plan;
  if (runner === undefined || !setup && !teardown) return runner;
  const started = setup && compileOnce("setup", setup, plan, parts, values);
  const ending = teardown && compileOnce("teardown", teardown, plan, parts, values);
  const result = await started?.();
  if (result?.fault !== undefined && !parts.stop?.aborted && !parts.kill?.aborted) {
    const { name, message } = result.fault;
    throw new RunError(`the setup failed, so no load was generated: ${name}: ${message}`);
  }
  values.current = result?.variables ?? {};
  return ending === undefined ? runner : withTeardown(runner, ending);
}

/** Runs a flow once. Resolves to the variables that it has set, and to its first error, if any. */
type Once = () => Promise<{
  readonly variables: Record<string, unknown>;
  readonly fault: ErrorStats | undefined;
}>;

function compileOnce(
  name: "setup" | "teardown",
  flow: readonly Step[],
  plan: Plan,
  { stop, kill, ...parts }: SetupParts,
  setup: SetupValues,
): Once {
  let variables: Record<string, unknown> = {};
  const once: Plan = {
    ...plan,
    thresholds: {},
    scenarios: {
      [name]: { executor: "per-vu-iterations", vus: 1, iterations: 1, flow: [...flow] },
    },
  };
  const runner = new ShardRunner(once, {
    ...parts,
    shard: WHOLE,
    // `setup` and `teardown` must not use the same random numbers as the first VU.
    seed: parts.seed + (name === "setup" ? 1 : 2),
    setup,
    onEnd: (set) => variables = set,
  });
  return async () => {
    const [onStop, onKill] = [() => runner.stop(), () => runner.kill()];
    stop?.addEventListener("abort", onStop);
    kill?.addEventListener("abort", onKill);
    try {
      const { snapshot, ended } = await runner.run(parts.clock.now(), () => {}, () => {});
      return { variables, fault: faultIn(snapshot, ended) };
    } finally {
      stop?.removeEventListener("abort", onStop);
      kill?.removeEventListener("abort", onKill);
    }
  };
}

/** Returns the first error of a flow that ran once, or undefined if no error occurred. */
function faultIn(
  { errors: [error], endpoints, scenarios: [scenario] }: Snapshot,
  ended: RunResult["ended"],
): ErrorStats | undefined {
  if (error !== undefined) return error;
  const fault = (name: string, message: string): ErrorStats => (
    { kind: "assert", scenario: scenario.name, name, message, count: 1 }
  );
  const failed = endpoints.find((endpoint) => endpoint.failed > 0);
  if (failed) return fault(failed.name, `status ${Object.keys(failed.statuses).at(-1)}`);
  if (ended === undefined && scenario.iterations > 0) return undefined;
  return fault(scenario.name, "the flow did not end normally");
}

/** Returns a runner that runs `teardown` after the load, unless it is killed. */
function withTeardown(runner: Runner, teardown: Once): Runner {
  let isKilled = false;
  return {
    plannedMs: runner.plannedMs,
    endsMs: runner.endsMs,
    ...(runner.setLoad && { setLoad: (load) => runner.setLoad!(load) }),
    async run(...args) {
      const result = await runner.run(...args);
      if (isKilled) return result;
      const { fault } = await teardown();
      if (fault === undefined) return result;
      const errors = [...result.snapshot.errors, fault];
      const snapshot = { ...result.snapshot, errors };
      return { ...result, snapshot, failure: "the teardown failed" };
    },
    stop: () => runner.stop(),
    kill() {
      isKilled = true;
      runner.kill();
    },
  };
}
