import type { ScenarioSummary, Summary } from "../../engine/summary/summary.ts";
import type { TrendStats } from "../../engine/summary/metric_stats.ts";
import { runWarnings } from "../run_warnings.ts";
import type { Block } from "../blocks.ts";
import { fit, type Style, wrapWords } from "./print_blocks.ts";
import { count, percent, perSecond, plural, time } from "../../base/format.ts";

/** Lists the iterations, warnings and start delays of each scenario. */
export function scenarioBlocks(summary: Summary, style: Style): Block[] {
  const warnings = runWarnings(summary);
  const lines = summary.scenarios.flatMap((scenario) => [
    `  ${fit(scenario.name, 40)} ${style.faint(`(${fit(scenario.executor, 30)})`)}`,
    `    ${scenario.schedule_lag_us === null ? closed(scenario) : open(scenario, summary)}`,
    ...warnings.filter((warning) => warning.scenario === scenario.name).flatMap(({ text }) =>
      wrapWords(text, style.width - 4).map((line) => style.bad(`    ${line}`))
    ),
    ...lateness(scenario.schedule_lag_us, style),
  ]);
  return [{ lines }];
}

function closed(
  { iterations, planned, dropped, max_vus, unstarted_vus = 0 }: ScenarioSummary,
): string {
  const most = plural(max_vus - unstarted_vus, "VU");
  const done = dropped > 0
    ? `${count(iterations)} of ${plural(planned ?? iterations, "planned iteration")}`
    : plural(iterations, "iteration");
  return `${done} by at most ${most} at once`;
}

/**
 * Formats the iterations of a scenario with an open model: `497 of 500 scheduled iterations started
 * (99.40%): 49.7/s of 50/s`. Omits the rates if the shards ran at different times, because such
 * rates cannot be added.
 */
function open(
  { iterations, interrupted, dropped, scheduled_ms }: ScenarioSummary,
  { accepted }: Summary,
): string {
  const started = iterations + interrupted;
  const scheduled = started + dropped;
  const share = percent(scheduled === 0 ? 1 : started / scheduled);
  const rate = (n: number) => perSecond(n / scheduled_ms! * 1_000);
  const isShifted = accepted.some(({ flaw }) => flaw === "shifted");
  const rates = scheduled_ms && !isShifted ? `: ${rate(started)} of ${rate(scheduled)}` : "";
  return `${count(started)} of ${
    plural(scheduled, "scheduled iteration")
  } started (${share})${rates}`;
}

function lateness(lag: TrendStats | null, style: Style): string[] {
  if (lag === null || lag.count === 0) return [];
  const [med, p99, max] = [lag.med, lag["p(99)"], lag.max].map((us) => time(us / 1_000));
  return [style.faint(`    start delay: ${med} (median), ${p99} (p99), ${max} (max)`)];
}
