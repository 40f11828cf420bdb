import { UsageError } from "../../base/errors.ts";
import { formatMs, formatThousands, perSecond, plural } from "../../base/format.ts";
import { expectedIterations, latestEndMs, latestStartMs } from "../../engine/progress.ts";
import { maxVus, plannedIterations, type Scenario } from "../../plan/kinds/executors.ts";
import { partitionCount, type Shard, WHOLE } from "../../plan/partition.ts";
import {
  peakRate,
  type RequestRange,
  requestRange,
  timedCurve,
  type WeightedCurve,
} from "../../plan/predicted_load.ts";
import type { Plan } from "../../plan/schema/plan.ts";

/**
 * Describes the load of a plan, or of a shard of it, in one line: its scenarios and VUs, its
 * duration, the expected number of requests, and the peak rate. Omits numbers that the plan does
 * not determine.
 */
export function describeLoad({ scenarios }: Plan, shard: Shard = WHOLE): string {
  const all = Object.values(scenarios);
  const ends = Math.max(...all.map((scenario) => latestEndMs(scenario, scenarios)));
  const isExact = all.every((scenario) =>
    scenario.after === undefined && plannedIterations(scenario) === Infinity
  );
  const requests = total(all.map((scenario) => expectedRequests(scenario, shard)));
  const vus = all.reduce((sum, scenario) => sum + partitionCount(maxVus(scenario), shard), 0);
  const peak = plannedPeak(scenarios);
  return [
    `Load: ${plural(all.length, "scenario")}`,
    `at most ${plural(vus, "VU")}`,
    `${isExact ? "" : "at most "}${formatMs(ends)}`,
    ...(requests === undefined ? [] : [`about ${plural(Math.round(requests), "request")}`]),
    ...(peak === undefined ? [] : [`peak ${perSecond(peak / shard.of)}`]),
  ].join(", ");
}

/**
 * Describes how many requests a run sends to the URLs (templates) for which `counts` returns true,
 * such as `1,200 requests`. Describes the minimum if the number depends on responses. For scenarios
 * whose number of iterations depends on response times, describes the number per iteration. If
 * `once` is true, each scenario runs one iteration. Otherwise, `shard` is the part of the plan that
 * runs.
 */
export function describeRequests(
  { scenarios, setup = [], teardown = [] }: Plan,
  counts: (url: string) => boolean,
  once: boolean,
  shard: Shard = WHOLE,
): string {
  const flows = [
    ...Object.values(scenarios).map((scenario) => ({
      range: requestRange(scenario.flow, counts),
      times: once ? 1 : expectedIterations(scenario, shard),
    })),
    ...[setup, teardown].map((flow) => ({ range: requestRange(flow, counts), times: 1 })),
  ].filter(({ range, times }) => range.max > 0 && times > 0);
  const [counted, open] = [
    flows.filter(({ times }) => times < Infinity),
    flows.filter(({ times }) => times === Infinity),
  ];
  const isExact = counted.every(({ range }) => range.mean !== undefined);
  const sum = counted.reduce((sum, { range, times }) => sum + times * (range.mean ?? range.min), 0);
  return [
    ...(counted.length > 0 || open.length === 0
      ? [`${isExact ? "" : "at least "}${plural(Math.round(sum), "request")}`]
      : []),
    ...(open.length > 0 ? [describeEach(open.map(({ range }) => range))] : []),
  ].join(", plus ");
}

/** Describes how many requests each scenario sends per iteration, such as `1 to 3 requests …`. */
function describeEach(ranges: readonly RequestRange[]): string {
  const least = Math.ceil(Math.min(...ranges.map(({ mean, min }) => mean ?? min)));
  const most = Math.ceil(Math.max(...ranges.map(({ mean, max }) => mean ?? max)));
  const text = least === most
    ? plural(least, "request")
    : most === Infinity
    ? `at least ${plural(least, "request")}`
    : `${formatThousands(least)} to ${plural(most, "request")}`;
  return `${text} per iteration`;
}

/**
 * Returns the expected number of requests, or undefined if the number depends on responses or
 * response times.
 */
function expectedRequests(scenario: Scenario, shard: Shard): number | undefined {
  const each = requestRange(scenario.flow).mean;
  const planned = expectedIterations(scenario, shard);
  return each === undefined || planned === Infinity ? undefined : each * planned;
}

/**
 * Returns the highest planned rate in requests per second, or undefined if the rate depends on
 * responses or response times.
 */
function plannedPeak(scenarios: Plan["scenarios"]): number | undefined {
  const curves: WeightedCurve[] = [];
  for (const scenario of Object.values(scenarios)) {
    const each = requestRange(scenario.flow).mean;
    const curve = timedCurve(scenario, latestStartMs(scenario, scenarios));
    if (each === undefined || curve.length === 0) return undefined;
    curves.push({ curve, each });
  }
  return peakRate(curves);
}

function total(counts: readonly (number | undefined)[]): number | undefined {
  return counts.reduce<number | undefined>(
    (sum, n) => sum === undefined || n === undefined ? undefined : sum + n,
    0,
  );
}

/** Maximum number of VUs of a run on one machine. */
const MACHINE_VUS = 100_000;
/** Number of VUs above which a run may reach the machine's limit on open files. */
const MANY_FILES = 10_000;

/** Returns the maximum number of VUs of a plan: the sum of the maximums of its scenarios. */
export function totalVus({ scenarios }: Plan): number {
  return Object.values(scenarios).reduce((sum, scenario) => sum + maxVus(scenario), 0);
}

/** Throws a UsageError if one machine cannot run the given number of VUs. */
export function checkVus(vus: number): void {
  if (vus <= MACHINE_VUS) return;
  throw new UsageError(
    `cannot run ${formatThousands(vus)} VUs on one machine: the limit is ${
      formatThousands(MACHINE_VUS)
    }; use fewer VUs, or divide them among machines with \`--shard\` or \`--fleet\``,
  );
}

/**
 * Returns a line that asks the user to check the limit on open files before a run with many VUs.
 * Returns an empty string for other runs.
 */
export function openFilesNote(vus: number): string {
  if (vus <= MANY_FILES) return "";
  return `warning: ${formatThousands(vus)} VUs may open at least that many connections: ` +
    "`ulimit -n` must print a higher number; otherwise raise the limit or use fewer VUs\n";
}
