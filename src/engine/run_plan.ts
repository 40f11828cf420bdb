import { RunError } from "../base/errors.ts";
import type { NetworkOptions } from "../http/network_options.ts";
import { networkSender } from "../http/network_session.ts";
import type { Sender } from "../http/sender.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { WHOLE } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { realClock } from "./vu/clock.ts";
import type { Readers } from "./flow/constants.ts";
import type { SetupValues } from "./flow/scope.ts";
import type { Snapshot } from "./metrics/snapshot.ts";
import { needsDetails, needsSamples } from "./outputs/outputs.ts";
import { openClock, type ShardParts, ShardRunner } from "./shard_runner.ts";
import type { ErrorStats } from "./summary/flow_stats.ts";
import type { Summary } from "./summary/summary.ts";
import {
  type PreparedRun,
  runIdentity,
  type Runner,
  type RunResult,
  type SuperviseOptions,
  superviseRun,
} from "./runner.ts";
import { createWorkerRunner, workerCount } from "./worker_runner.ts";

interface RunParts extends ShardParts, Pick<RunOptions, "stop" | "kill"> {
  readonly setup: SetupValues;
}

/**
 * Runs the plan's `setup`, whose variables `runner` can then use. The returned runner runs
 * `teardown` after the load, unless the run is killed. Compiles both before it sends the first
 * request. Throws InputError if the plan cannot run, and RunError if `setup` fails.
 */
async function withSetup(plan: Plan, runner: Runner, parts: RunParts): Promise<Runner> {
  const { setup, teardown } = plan;
  const started = setup && compileOnce("setup", setup, plan, parts);
  const ending = teardown && compileOnce("teardown", teardown, plan, parts);
  const result = await started?.();
  if (result?.fault !== undefined && !parts.stop?.aborted && !parts.kill?.aborted) {
    const { name, message } = result.fault;
    throw new RunError(`the setup failed, so no load was generated: ${name}: ${message}`);
  }
  parts.setup.current = result?.variables ?? {};
  return ending === undefined ? runner : withTeardown(runner, ending);
}

type Once = () => Promise<{
  readonly variables: Record<string, unknown>;
  readonly fault: ErrorStats | undefined;
}>;

function compileOnce(
  name: "setup" | "teardown",
  flow: readonly Step[],
  plan: Plan,
  { stop, kill, ...parts }: RunParts,
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
    samples: false,
    details: false,
    shard: WHOLE,
    // `setup` and `teardown` must not use the same random numbers as the first VU.
    seed: parts.seed + (name === "setup" ? 1 : 2),
    onEnd: (set) => variables = set,
  });
  return async () => {
    const signals = name === "setup" ? { stop, kill } : { kill };
    const { snapshot, ended } = await runner.run(parts.clock.now(), signals);
    return { variables, fault: faultIn(snapshot, ended) };
  };
}

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
  const { plannedMs, endsMs } = runner;
  return {
    plannedMs,
    endsMs,
    async run(startsAt, hooks) {
      const result = await runner.run(startsAt, hooks);
      if (hooks.kill?.aborted) return result;
      const { fault } = await teardown();
      if (fault === undefined) return result;
      const errors = [...result.snapshot.errors, fault];
      const snapshot = { ...result.snapshot, errors };
      return { ...result, snapshot, failure: "the teardown failed" };
    },
  };
}

/** Options for a run: those of any run, and where its requests go. */
export type RunOptions = CommonOptions & ({ readonly sender: Sender } | NetworkRunOptions);

/** Options for a run over the network. */
export interface NetworkRunOptions {
  readonly network: NetworkOptions;
  readonly workers?: number;
}

/**
 * Options of any run. By default, the clock is a real one that is as accurate as the plan needs,
 * the shard is the whole load, and the seed is random.
 */
export interface CommonOptions extends
  Readers,
  Partial<
    Pick<
      ShardParts,
      "clock" | "shard" | "seed" | "observer" | "supervisor" | "details" | "ticks"
    >
  >,
  Omit<SuperviseOptions, "startsAt"> {}

/**
 * Runs `plan` and evaluates its thresholds. The plan must be validated, and its overlays must be
 * merged. Throws InputError before generating any load if the plan cannot run, for example if a
 * file, variable or secret is missing, or if a URL is relative and there is no base URL. Does not
 * throw if the target fails.
 */
export async function run(plan: Plan, options: RunOptions): Promise<Summary> {
  using prepared = await prepareRun(plan, options);
  return await superviseRun(plan, prepared, options);
}

/**
 * Prepares a run: compiles the plan, starts its threads, and runs its `setup`. Throws InputError if
 * the plan cannot run, and RunError if `setup` fails or a thread cannot be started.
 */
export async function prepareRun(
  plan: Plan,
  options: RunOptions,
): Promise<PreparedRun & Disposable> {
  const { shard = WHOLE, outputs } = options;
  const identity = runIdentity(plan, { ...options, shard });
  using opened = new DisposableStack();
  const overNetwork = "network" in options ? options : undefined;
  const workers = overNetwork === undefined
    ? 1
    : overNetwork.workers ?? workerCount(plan, navigator.hardwareConcurrency);
  const sender = "sender" in options
    ? options.sender
    : opened.adopt(networkSender(options.network), (sender) => sender.close());
  const open = () => workers > 1 ? realClock() : openClock(plan);
  const clock = options.clock ?? opened.adopt(await open(), (clock) => clock.close());
  const parts: RunParts = {
    ...options,
    ...identity,
    clock,
    sender,
    shard,
    setup: { current: {} },
    samples: needsSamples(outputs),
    details: options.details || needsDetails(outputs),
  };
  const load = workers > 1
    ? await createWorkerRunner(plan, workers, overNetwork!.network, parts)
    : new ShardRunner(plan, parts);
  const runner = await withSetup(plan, load, parts);
  const all = opened.move();
  return { runner, clock, identity, shard, workers, [Symbol.dispose]: () => all.dispose() };
}
