import { isUncheckedReplay } from "../plan/kinds/list_requests.ts";
import { formatShard } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { MetricData } from "./metrics/metrics.ts";
import type { Snapshot } from "./metrics/snapshot.ts";
import { summarize } from "./metrics/summarize.ts";
import {
  evaluateThreshold,
  evaluateThresholdSoFar,
  parseThresholds,
  type ThresholdRule,
  unevaluatedVerdict,
} from "./metrics/evaluate_thresholds.ts";
import { publishToOutputs, type RunOutput } from "./outputs/open_output.ts";
import type { LoadControl } from "./load/load_control.ts";
import { type PreparedRun, sharesShuffledData } from "./runner.ts";
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
   * canceled.
   */
  readonly onStart?: (endsMs: number) => void;
  readonly onTick?: (progress: Progress) => void;
  /** Changes the load during the run. Has no effect if the runner cannot change it. */
  readonly control?: LoadControl;
}

/**
 * Runs a prepared plan, evaluates the thresholds every second and at the end, and returns
 * the summary. A shard sees only its part of the load, so it does not evaluate thresholds and
 * ignores `abort_on_fail`.
 */
export async function superviseRun(
  plan: Plan,
  { runner, clock, identity: { planHash, seed, dataSeed }, shard }: PreparedRun,
  options: SuperviseOptions,
): Promise<Summary> {
  const { outputs = [] } = options;
  const rules = parseThresholds(plan.thresholds ?? {});
  const evaluated = shard.of === 1 ? rules : [];
  const progress = progressReader(plan, rules, shard, runner.plannedMs);
  const hasFollowers = Object.values(plan.scenarios).some(({ after }) => after !== undefined);
  const aborted = new Set<ThresholdRule>();
  let interrupted = false;
  let reached: Progress | undefined;
  const stop = () => {
    interrupted = true;
    runner.stop();
  };
  const kill = () => {
    interrupted = true;
    runner.kill();
  };
  options.stop?.addEventListener("abort", stop);
  options.kill?.addEventListener("abort", kill);
  const now = clock.now();
  const { startsAt = now } = options;
  const startedAt = new Date(Date.now() + startsAt - now).toISOString();
  options.onStart?.(runner.endsMs);
  try {
    const running = runner.run(startsAt, (second) => {
      const elapsedMs = clock.now() - startsAt;
      for (const rule of failing(evaluated, second.metrics, elapsedMs)) aborted.add(rule);
      if (aborted.size > 0) runner.stop();
      publishToOutputs(outputs, second.metrics, second.details);
      if (options.onTick === undefined && !hasFollowers) return;
      reached = progress(second, elapsedMs);
      options.onTick?.(reached);
    }, (batch) => outputs.forEach((output) => output.samples?.(batch)));
    if (runner.setLoad) {
      options.control?.attach({
        set: (load) => runner.setLoad!(load),
        elapsedMs: () => clock.now() - startsAt,
      });
    }
    if (options.stop?.aborted) stop();
    if (options.kill?.aborted) kill();
    const { snapshot, ended, coverage, failure } = await running;
    options.control?.detach();
    const changes = options.control?.changes ?? [];
    publishToOutputs(outputs, snapshot.metrics, snapshot);
    const thresholds = rules.map((rule) =>
      shard.of === 1
        ? {
          ...evaluateThreshold(rule, snapshot.metrics, snapshot.durationMs),
          aborted: aborted.has(rule),
        }
        : unevaluatedVerdict(rule)
    );
    const ending: Ending = ended ??
      (aborted.size > 0 ? "threshold" : interrupted ? "interrupted" : "finished");
    return summarize(snapshot, {
      name: plan.name ?? "",
      plan_hash: planHash,
      started_at: startedAt,
      ending,
      seed,
      data_seed: sharesShuffledData(plan) ? dataSeed : null,
      shards: coverage?.shards.map((one) => ({ ending, ...one })) ?? [{
        shard: formatShard(shard),
        started_at: startedAt,
        duration_ms: snapshot.durationMs,
        ending,
      }],
      accepted: coverage?.accepted ?? [],
      failure: failure ?? coverage?.failure,
      ...(isUncheckedReplay(plan) && { unchecked: true }),
      ...(changes.length > 0 &&
        { changes: changes.map(({ atMs, ...load }) => ({ at_ms: atMs, ...load })) }),
      phases: plannedPhases(
        plan,
        snapshot.durationMs,
        (name) => scenarioStart(name, snapshot, reached),
      ),
    }, thresholds);
  } finally {
    options.control?.detach();
    options.stop?.removeEventListener("abort", stop);
    options.kill?.removeEventListener("abort", kill);
  }
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

/** Returns the thresholds that must abort the run now: those that fail and have `abort_on_fail`. */
function failing(
  rules: readonly ThresholdRule[],
  metrics: Readonly<Record<string, MetricData>>,
  elapsedMs: number,
): ThresholdRule[] {
  return rules.filter((rule) =>
    rule.abortOnFail && elapsedMs >= rule.notBefore &&
    evaluateThresholdSoFar(rule, metrics, elapsedMs).passed === false
  );
}
