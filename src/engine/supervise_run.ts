import { formatShard, type Shard } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Clock } from "./clock.ts";
import type { MetricData } from "./metrics/metric.ts";
import { summarize } from "./metrics/summarize.ts";
import { judge, judgeSoFar, readRules, type Rule, unjudged } from "./metrics/judge_thresholds.ts";
import { publishToOutputs, type RunOutput } from "./outputs/run_output.ts";
import type { Runner } from "./runner.ts";
import { progressReader } from "./progress_reader.ts";
import { type RunIdentity, sharesShuffledData } from "./run_identity.ts";
import type { Ending, Progress, Summary } from "./summary.ts";

/** How a run is watched over. */
export interface SuperviseOptions {
  readonly clock: Clock;
  readonly identity: RunIdentity;
  readonly share: Shard;
  readonly stop?: AbortSignal;
  readonly kill?: AbortSignal;
  readonly outputs?: readonly RunOutput[];
  /** Called at the start with the milliseconds after which the last iteration is cancelled. */
  readonly onStart?: (endsMs: number) => void;
  readonly onTick?: (progress: Progress) => void;
}

/**
 * Has `player` run the plan, judges the thresholds every second and at the end, and returns the summary.
 * A shard judges none, and `abort_on_fail` does not end it: it sees only its part of the load.
 */
export async function superviseRun(
  plan: Plan,
  player: Runner,
  options: SuperviseOptions,
): Promise<Summary> {
  const { outputs = [] } = options;
  const { identity: { planHash, seed, dataSeed }, share } = options;
  const rules = readRules(plan.thresholds ?? {});
  const judged = share.of === 1 ? rules : [];
  const progress = progressReader(plan, rules, share, player.plannedMs);
  const aborted = new Set<Rule>();
  let interrupted = false;
  const stop = () => {
    interrupted = true;
    player.stop();
  };
  const kill = () => {
    interrupted = true;
    player.kill();
  };
  options.stop?.addEventListener("abort", stop);
  options.kill?.addEventListener("abort", kill);
  const startedAt = new Date().toISOString();
  const startsAt = options.clock.now();
  options.onStart?.(player.endsMs);
  try {
    const playing = player.play(startsAt, (second) => {
      const elapsedMs = options.clock.now() - startsAt;
      for (const rule of broken(judged, second.metrics, elapsedMs)) aborted.add(rule);
      if (aborted.size > 0) player.stop();
      publishToOutputs(outputs, second.metrics);
      options.onTick?.(progress(second, elapsedMs));
    }, (batch) => outputs.forEach((output) => output.samples?.(batch)));
    if (options.stop?.aborted) stop();
    if (options.kill?.aborted) kill();
    const { snapshot, ended } = await playing;
    publishToOutputs(outputs, snapshot.metrics);
    const thresholds = rules.map((rule) =>
      share.of === 1
        ? {
          ...judge(rule, snapshot.metrics, snapshot.durationMs),
          aborted: aborted.has(rule),
        }
        : unjudged(rule)
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
      shards: [{
        shard: formatShard(share),
        started_at: startedAt,
        duration_ms: snapshot.durationMs,
        ending,
      }],
      accepted: [],
    }, thresholds);
  } finally {
    options.stop?.removeEventListener("abort", stop);
    options.kill?.removeEventListener("abort", kill);
  }
}

/** The thresholds that fail now, and are to end the run when they do. */
function broken(
  rules: readonly Rule[],
  metrics: Readonly<Record<string, MetricData>>,
  elapsedMs: number,
): Rule[] {
  return rules.filter((rule) =>
    rule.abortOnFail && elapsedMs >= rule.notBefore &&
    judgeSoFar(rule, metrics, elapsedMs).passed === false
  );
}
