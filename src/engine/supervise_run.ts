import { isUncheckedReplay } from "../plan/kinds/list_requests.ts";
import { formatShard } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { MetricData } from "./metrics/metrics.ts";
import type { Snapshot } from "./metrics/snapshot.ts";
import { type RunFacts, summarize } from "./metrics/summarize.ts";
import {
  evaluateThreshold,
  parseThresholds,
  type ThresholdRule,
  unevaluatedVerdict,
} from "./metrics/evaluate_thresholds.ts";
import { publishToOutputs, type RunOutput } from "./outputs/outputs.ts";
import type { LoadControl } from "./kinds/load_control.ts";
import { type PreparedRun, type RunResult, sharesShuffledData } from "./runner.ts";
import { plannedPhases, type Progress, progressReader } from "./progress.ts";
import type { Summary } from "./summary/summary.ts";
import type { Ending } from "./summary/codes.ts";

/** Options for `superviseRun`. */
export interface SuperviseOptions {
  /** Clock time, in ms, at which the run starts. By default, the current time. */
  readonly startsAt?: number;
  readonly stop?: AbortSignal;
  readonly kill?: AbortSignal;
  readonly outputs?: readonly RunOutput[];
  /**
   * Called when the run starts. Iterations that are still running `endsMs` milliseconds later are
   * canceled. `workers` is the number of threads that generate the load.
   */
  readonly onStart?: (endsMs: number, workers: number) => void;
  readonly onTick?: (progress: Progress) => void;
  /** Changes the load during the run. Has no effect if the runner cannot change it. */
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
  const hasFollowers = Object.values(plan.scenarios).some(({ after }) => after !== undefined);
  let reached: Progress | undefined;
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
      if (onTick === undefined && !hasFollowers) return;
      reached = progress(second, elapsed);
      onTick?.(reached);
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
  const facts = runFacts(plan, prepared, result, { startedAt, ending, reached });
  return summarize(snapshot, { ...facts, ...loadChanges(options.control) }, thresholds);
}

function runFacts(
  plan: Plan,
  { identity: { planHash, seed, dataSeed }, shard }: PreparedRun,
  { snapshot, coverage, failure }: RunResult,
  { startedAt, ending, reached }: {
    readonly startedAt: string;
    readonly ending: Ending;
    readonly reached: Progress | undefined;
  },
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
    phases: plannedPhases(plan, durationMs, (name) => scenarioStart(name, snapshot, reached)),
  };
}

function loadChanges(control: LoadControl | undefined): Pick<RunFacts, "changes"> {
  const changes = control?.changes ?? [];
  if (changes.length === 0) return {};
  return { changes: changes.map(({ atMs, ...load }) => ({ at_ms: atMs, ...load })) };
}

/**
 * Returns the start of the scenario `name` in ms after the start of the run. Returns undefined if
 * the start is unknown. `reached` is the last progress report of the run. If the scenario started
 * after this report, returns the time of the report, which is at most about a second too early.
 */
function scenarioStart(
  name: string,
  { scenarios, durationMs }: Snapshot,
  reached: Progress | undefined,
): number | undefined {
  const startMs = reached?.scenarios.find((scenario) => scenario.name === name)?.startMs ??
    Infinity;
  if (startMs < durationMs) return startMs;
  const counts = scenarios.find((scenario) => scenario.name === name);
  const hasRun = counts !== undefined && counts.iterations + counts.interrupted > 0;
  if (hasRun) return reached?.elapsedMs ?? 0;
  return startMs === Infinity ? undefined : startMs;
}

function mustAbort(
  rule: ThresholdRule,
  metrics: Readonly<Record<string, MetricData>>,
  elapsedMs: number,
): boolean {
  return rule.abortOnFail && elapsedMs >= rule.notBefore &&
    evaluateThreshold(rule, metrics, elapsedMs, false).passed === false;
}
