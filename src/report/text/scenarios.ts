import type { ScenarioFigures, Summary, TrendFigures } from "../../engine/summary.ts";
import { fit } from "./fit.ts";
import type { Style } from "./style.ts";
import { count, percent, perSecond, plural, time } from "./units.ts";

/** Lag of the starts (p(99), µs) from which on it is the load generator that is too slow. */
const LATE_US = 10_000;

/** What each scenario was to do and did, in words: iterations, dropped ones, how late the starts were. */
export function scenarioLines(summary: Summary, style: Style): string[] {
  return summary.scenarios.flatMap((scenario) => [
    `  ${fit(scenario.name, 40)} ${style.faint(`(${fit(scenario.executor, 30)})`)}`,
    `    ${scenario.schedule_lag_us === null ? played(scenario) : schedule(scenario, summary)}`,
    ...warnings(scenario).map((text) => style.bad(`    ${text}`)),
    ...lateness(scenario.schedule_lag_us, style),
  ]);
}

function played({ iterations, max_vus }: ScenarioFigures): string {
  return `${plural(iterations, "iteration")} by at most ${plural(max_vus, "VU")} at once`;
}

/** `497 of 500 starts made (99.40%): 49.7/s of the 50/s asked for`. */
function schedule({ iterations, interrupted, dropped }: ScenarioFigures, summary: Summary): string {
  const started = iterations + interrupted;
  const asked = started + dropped;
  const share = percent(asked === 0 ? 1 : started / asked);
  return `${count(started)} of ${plural(asked, "start")} made (${share})${reached(summary)}`;
}

/**
 * The scheduled rate and the rate of started iterations, if one scenario made the whole timeline. Shards
 * that did not run side by side never had the sum of their rates.
 */
function reached({ scenarios, timeline, accepted }: Summary): string {
  if (accepted.some(({ flaw }) => flaw === "shifted")) return "";
  const scheduled = timeline.filter(({ asked }) => asked > 0);
  // The schedule's last second, and its first after a late start, are only partly its own.
  const whole = scheduled.slice(scheduled[0]?.at > 1 ? 1 : 0, -1);
  if (scenarios.length !== 1 || whole.length === 0) return "";
  const mean = (key: "asked" | "started") =>
    whole.reduce((sum, point) => sum + point[key], 0) / whole.length;
  return `: ${perSecond(mean("started"))} of the ${perSecond(mean("asked"))} asked for`;
}

function warnings({ dropped, interrupted, max_vus, schedule_lag_us }: ScenarioFigures): string[] {
  const found: string[] = [];
  if (dropped > 0) {
    found.push(
      `${plural(dropped, "start")} dropped: all ${plural(max_vus, "VU")} were busy; ` +
        "raise max_vus, or see what is slow",
    );
  }
  if (interrupted > 0) {
    found.push(`${plural(interrupted, "iteration")} cut off: still going when the stop was over`);
  }
  if (schedule_lag_us && schedule_lag_us["p(99)"] > LATE_US) {
    found.push("this machine started late: it is too slow for the rate; use more workers");
  }
  return found;
}

function lateness(lag: TrendFigures | null, style: Style): string[] {
  if (lag === null || lag.count === 0) return [];
  const [med, p99, max] = [lag.med, lag["p(99)"], lag.max].map((us) => time(us / 1_000));
  return [
    style.faint(`    starts were late by ${med} (median), ${p99} (p(99)), ${max} (at most)`),
  ];
}
