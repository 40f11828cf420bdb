import { hash } from "node:crypto";
import { isUncheckedReplay } from "../plan/kinds/list_requests.ts";
import { formatShard, type Shard } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { LoadControl, LoadState } from "./kinds/load_control.ts";
import {
  evaluateThreshold,
  parseThresholds,
  type RunFacts,
  summarize,
  type ThresholdRule,
  unevaluatedVerdict,
} from "./metrics/summarize.ts";
import type { MetricData, SampleBatch, Snapshot, TickReport } from "./metrics/snapshot.ts";
import { publishToOutputs, type RunOutput } from "./outputs/outputs.ts";
import { type Progress, progressReader } from "./progress.ts";
import type { Ending, RunFailure } from "./summary/codes.ts";
import type { AcceptedFlaw, ShardRun, Summary } from "./summary/summary.ts";
import type { Clock } from "./vu/clock.ts";

/** What a run ran, for its summary. */
export interface RunIdentity {
  /**
   * SHA-256 (hex) of the plan, with options and overlay applied, and of its files of data and
   * arrivals. Does not cover the plan's keys `outputs` and `env`.
   */
  readonly planHash: string;
  readonly seed: number;
  /** Seed for shuffling the data. It must be the same in all shards of a run. */
  readonly dataSeed: number;
}

export interface IdentityOptions {
  readonly shard: Shard;
  readonly seed?: number;
  readonly readFile: (path: string) => Uint8Array;
}

/**
 * Returns the identity of a run. If no seed is given, shards derive the data seed from the plan's
 * hash. As a result, they all shuffle the data in the same order and together use every row once.
 * Throws InputError if a data file cannot be read.
 */
export function runIdentity(plan: Plan, options: IdentityOptions): RunIdentity {
  const planHash = hashPlan(plan, options.readFile);
  const seed = options.seed ?? randomSeed();
  const isShard = options.shard.of > 1 && options.seed === undefined;
  return { planHash, seed, dataSeed: isShard ? parseInt(planHash.slice(0, 8), 16) : seed };
}

function sharesShuffledData({ data }: Plan): boolean {
  return Object.values(data ?? {}).some(({ pick, mode }) =>
    pick === "shuffle" && mode !== "per_vu"
  );
}

function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}

function hashPlan(
  { outputs: _outputs, env: _overlays, ...plan }: Plan,
  readFile: IdentityOptions["readFile"],
): string {
  const files: Record<string, string> = {};
  for (const one of [...Object.values(plan.data ?? {}), ...Object.values(plan.scenarios)]) {
    if ("path" in one) files[one.path] = hash("sha256", readFile(one.path));
  }
  const text = JSON.stringify(
    { plan, files },
    (_, value) => typeof value === "bigint" ? `${value}n` : value,
  );
  return hash("sha256", text);
}

/** Result of `Runner.run`. */
export interface RunResult {
  readonly snapshot: Snapshot;
  /** `assertion` if an assertion with `abort_test` ended the run, otherwise undefined. */
  readonly ended: "assertion" | undefined;
  /** Reason why the run fails regardless of its thresholds. Absent if the thresholds decide. */
  readonly failure?: RunFailure;
  /** Shards that other processes ran. Absent if this process ran the plan. */
  readonly coverage?: Coverage;
}

/** Shards that other processes ran, and why they do not form a complete run. */
export interface Coverage {
  /** Shards that other processes ran. A shard without `ending` ended in the same way as the run. */
  readonly shards: readonly (Omit<ShardRun, "ending"> & Partial<Pick<ShardRun, "ending">>)[];
  readonly accepted: readonly AcceptedFlaw[];
  readonly failure?: RunFailure;
}

/** What a runner reports while it runs, and the signals that it obeys. */
export interface RunHooks extends Pick<SuperviseOptions, "stop" | "kill"> {
  readonly onSecond?: (second: TickReport) => void;
  readonly onSamples?: (batch: SampleBatch) => void;
  /** Called at the start if the load can be changed, with a function that does so. */
  readonly onControl?: (set: (load: LoadState) => void) => void;
}

/**
 * Runs a plan, or shards of it. There is one implementation for each place where a shard runs:
 * `ShardRunner` for this thread, `WorkerRunner` for several threads, and `FleetRunner` for other
 * processes.
 */
export interface Runner {
  /** Milliseconds from the start of the run until the last schedule ends. */
  readonly plannedMs: number;
  /** Milliseconds from the start of the run to the end of the last graceful stop. */
  readonly endsMs: number;
  /** Runs the plan. Rejects only because of a bug in rehearse or if a thread fails. */
  run(startsAt: number, hooks: RunHooks): Promise<RunResult>;
}

/** A run that is ready to start: the plan is compiled, and its threads or processes are running. */
export interface PreparedRun {
  readonly runner: Runner;
  readonly clock: Clock;
  readonly identity: RunIdentity;
  readonly shard: Shard;
  /** Number of threads that generate the load; in a fleet, of the processes. */
  readonly workers: number;
}

/** Calls `act` when `signal` aborts, or now if it has. Disposing the result ends this. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): Disposable {
  if (signal?.aborted) act();
  signal?.addEventListener("abort", act);
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", act) };
}

/** Options for the time in which a prepared plan runs. */
export interface SuperviseOptions {
  /** Clock time, in ms, at which the run starts. By default, the current time. */
  readonly startsAt?: number;
  /** Stops the starts of iterations. Running ones may continue until the graceful stop ends. */
  readonly stop?: AbortSignal;
  /** Stops the starts of iterations, and cancels running ones. */
  readonly kill?: AbortSignal;
  readonly outputs?: readonly RunOutput[];
  /** Called when the run starts, with the time that it takes at most, and its threads. */
  readonly onStart?: (endsMs: number, workers: number) => void;
  readonly onTick?: (progress: Progress) => void;
  readonly control?: LoadControl;
}

/**
 * Runs a prepared plan, evaluates the thresholds every second and at the end, and returns the
 * summary. A shard sees only its part of the load, so it does not evaluate thresholds and ignores
 * `abort_on_fail`.
 */
export async function superviseRun(
  plan: Plan,
  prepared: PreparedRun,
  options: SuperviseOptions,
): Promise<Summary> {
  const { runner, clock, shard } = prepared;
  const { outputs = [], kill, onTick } = options;
  const aborted = new AbortController();
  const stop = AbortSignal.any([aborted.signal, ...(options.stop ? [options.stop] : [])]);
  const rules = parseThresholds(plan.thresholds ?? {});
  const aborting = new Set<ThresholdRule>();
  const progress = progressReader(plan, rules, shard, runner.plannedMs);
  const now = clock.now();
  const { startsAt = now } = options;
  const startedAt = new Date(Date.now() + startsAt - now).toISOString();
  const elapsedMs = () => clock.now() - startsAt;
  options.onStart?.(runner.endsMs, prepared.workers);
  using opened = new DisposableStack();
  const result = await runner.run(startsAt, {
    stop,
    kill,
    onSecond(second) {
      const elapsed = elapsedMs();
      for (const rule of shard.of === 1 ? rules : []) {
        if (mustAbort(rule, second.metrics, elapsed)) aborting.add(rule);
      }
      if (aborting.size > 0) aborted.abort();
      publishToOutputs(outputs, second.metrics, second.details);
      onTick?.(progress(second, elapsed));
    },
    onSamples: (batch) => outputs.forEach((output) => output.samples?.(batch)),
    onControl: (set) => void opened.use(options.control?.attach({ set, elapsedMs })),
  });
  const { snapshot } = result;
  publishToOutputs(outputs, snapshot.metrics, snapshot);
  const thresholds = rules.map((rule) =>
    shard.of > 1 ? unevaluatedVerdict(rule) : {
      ...evaluateThreshold(rule, snapshot.metrics, snapshot.durationMs),
      aborted: aborting.has(rule),
    }
  );
  const isInterrupted = stop.aborted || kill?.aborted;
  const ending = result.ended ??
    (aborting.size > 0 ? "threshold" : isInterrupted ? "interrupted" : "finished");
  const facts = runFacts(plan, prepared, result, { startedAt, ending });
  return summarize(snapshot, { ...facts, ...loadChanges(options.control) }, thresholds);
}

function runFacts(
  plan: Plan,
  { identity: { planHash, seed, dataSeed }, shard }: PreparedRun,
  { snapshot, coverage, failure }: RunResult,
  { startedAt, ending }: { readonly startedAt: string; readonly ending: Ending },
): RunFacts {
  const { durationMs } = snapshot;
  return {
    name: plan.name ?? "",
    plan_hash: planHash,
    started_at: startedAt,
    ending,
    seed,
    data_seed: sharesShuffledData(plan) ? dataSeed : null,
    shards: coverage?.shards.map((one) => ({ ending, ...one })) ??
      [{ shard: formatShard(shard), started_at: startedAt, duration_ms: durationMs, ending }],
    accepted: coverage?.accepted ?? [],
    failure: failure ?? coverage?.failure,
    ...(isUncheckedReplay(plan) && { unchecked: true }),
  };
}

function loadChanges(control: LoadControl | undefined): Pick<RunFacts, "changes"> {
  const changes = control?.changes ?? [];
  if (changes.length === 0) return {};
  return { changes: changes.map(({ atMs, ...load }) => ({ at_ms: atMs, ...load })) };
}

function mustAbort(
  rule: ThresholdRule,
  metrics: Readonly<Record<string, MetricData>>,
  elapsedMs: number,
): boolean {
  return rule.abortOnFail && elapsedMs >= rule.notBefore &&
    evaluateThreshold(rule, metrics, elapsedMs, false).passed === false;
}
