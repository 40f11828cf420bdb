import { formatMs, formatThousands, percent } from "../../base/format.ts";
import { formatShard, parseShard } from "../../plan/partition.ts";
import type { Ending, MergeFlaw } from "./codes.ts";
import type { EndpointStats } from "./flow_stats.ts";
import type { AcceptedFlaw, ScenarioSummary, ShardRun, Summary } from "./summary.ts";

/** Reports whether a run was aborted by a threshold or assertion. */
export function isAborted(ending: Ending): boolean {
  return ending === "threshold" || ending === "assertion";
}

/**
 * Returns true if a run passed and false if it failed. Returns null if this is unknown: the run is
 * incomplete, has no thresholds, or its thresholds were not evaluated.
 */
export function runPassed(
  { thresholds, ending, accepted, failure, incomplete }: Pick<
    Summary,
    "thresholds" | "ending" | "accepted" | "failure" | "incomplete"
  >,
): boolean | null {
  if (failure !== undefined) return false;
  if (thresholds.some(({ passed }) => passed === false) || isAborted(ending)) return false;
  const isComplete = ending === "finished" && accepted.length === 0 && incomplete === undefined;
  const isEvaluated = thresholds.length > 0 && thresholds.every(({ passed }) => passed);
  return isComplete && isEvaluated ? true : null;
}

/**
 * Returns the summary with the verdict of the thresholds, although the run did less than planned.
 */
export function allowIncomplete({ incomplete: _, ...summary }: Summary): Summary {
  return { ...summary, passed: runPassed(summary) };
}

/** Minimum share of the planned iterations or VUs that a complete run starts. */
const MIN_STARTED = 0.95;

export interface DoneWork extends Pick<Summary, "ending" | "shards" | "changes" | "scenarios"> {
  readonly endpoints: readonly Pick<EndpointStats, "scenario" | "count">[];
}

/**
 * Returns the reasons why a run did less than planned. For each scenario: an assertion aborted it,
 * it started less than 95 % of its iterations or VUs, or it sent none of its requests. Returns an
 * empty list for a shard and for a run that was stopped. If the user changed the load during the
 * run, only aborted scenarios count.
 */
export function shortfalls(run: DoneWork): string[] {
  const isShard = run.shards.length === 1 && run.shards[0].shard !== "1/1";
  if (run.ending !== "finished" || isShard) return [];
  return run.scenarios.flatMap((scenario) => {
    const reasons = [
      ...(scenario.ended === "aborted" ? ["an assertion aborted it"] : []),
      ...(run.changes === undefined ? missingWork(scenario, run) : []),
    ];
    return reasons.length === 0 ? [] : [`scenario ${scenario.name}: ${reasons.join("; ")}`];
  });
}

function missingWork(scenario: ScenarioSummary, { endpoints }: DoneWork): string[] {
  const { started, interrupted, dropped, max_vus, unstarted_vus = 0 } = scenario;
  const { planned = started + dropped } = scenario;
  const own = endpoints.filter((endpoint) => endpoint.scenario === scenario.name);
  // Requests that were interrupted are not counted.
  const isSilent = own.length > 0 && (scenario.planned ?? max_vus) > 0 && interrupted === 0 &&
    own.every(({ count }) => count === 0);
  return [
    ...(scenario.ended === "data" ? [] : few(started, planned, "planned iterations")),
    ...few(max_vus - unstarted_vus, max_vus, "VUs"),
    ...(isSilent ? ["no request was sent"] : []),
  ];
}

function few(started: number, planned: number, what: string): string[] {
  if (started >= MIN_STARTED * planned) return [];
  return [
    `only ${formatThousands(started)} of ${formatThousands(planned)} ${what} started ` +
    `(${percent(started / planned)})`,
  ];
}

/** Maximum time in milliseconds between the starts of shards that count as simultaneous. */
export const SIMULTANEOUS_MS = 1_000;

const MAX_LISTED = 10;

/**
 * Lists the reasons why a set of summaries does not form one complete run. `summaries` must contain
 * at least one summary, and all of them must specify the same number of shards (`n` in `i/n`).
 */
export function mergeFlaws(summaries: readonly Summary[]): AcceptedFlaw[] {
  const shards = summaries.flatMap((summary) => summary.shards);
  const apart = startsApartMs(shards);
  const found: Record<MergeFlaw, string | undefined> = {
    missing: some(missingShards(shards), "missing"),
    interrupted: some(ended(shards, ({ ending }) => ending === "interrupted"), "interrupted"),
    aborted: some(ended(shards, ({ ending }) => isAborted(ending)), "aborted"),
    lost: some(ended(shards, ({ ending }) => ending === "lost"), "lost"),
    shifted: apart > SIMULTANEOUS_MS
      ? `the shards started ${formatMs(apart)} apart, so they did not run at the same time`
      : undefined,
  };
  return Object.entries(found).flatMap(([flaw, message]) =>
    message === undefined ? [] : [{ flaw: flaw as MergeFlaw, message }]
  );
}

/** Returns the time between the earliest and the latest start of the shards, in milliseconds. */
export function startsApartMs(shards: readonly ShardRun[]): number {
  const starts = shards.map(({ started_at }) => Date.parse(started_at));
  return Math.max(...starts) - Math.min(...starts);
}

function missingShards(shards: readonly ShardRun[]): string[] {
  const present = new Set(shards.map(({ shard }) => shard));
  const of = parseShard(shards[0].shard)?.of ?? 1;
  return Array.from({ length: of }, (_, index) => formatShard({ index, of }))
    .filter((shard) => !present.has(shard));
}

function ended(shards: readonly ShardRun[], has: (shard: ShardRun) => boolean): string[] {
  return shards.filter(has).map(({ shard }) => shard);
}

function some(shards: readonly string[], what: string): string | undefined {
  if (shards.length === 0) return undefined;
  const more = shards.length > MAX_LISTED ? ` and ${shards.length - MAX_LISTED} more` : "";
  return `${what}: ${shards.length === 1 ? "shard" : "shards"} ` +
    `${shards.slice(0, MAX_LISTED).join(", ")}${more}`;
}
