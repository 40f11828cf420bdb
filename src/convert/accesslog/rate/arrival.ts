import type { ScenarioOf } from "../../../plan/kinds/executors.ts";

/**
 * The arrival rate of a scenario: its executor, and the keys that set the rate and the duration.
 */
export type Arrival =
  | Pick<ScenarioOf<"constant-arrival-rate">, "executor" | "rate" | "duration">
  | Pick<ScenarioOf<"ramping-arrival-rate">, "executor" | "start_rate" | "stages">
  | Pick<
    ScenarioOf<"recorded-arrivals">,
    "executor" | "path" | "rate" | "peak_rate" | "squeeze" | "duration"
  >;

/** Returns the highest rate in iterations per second. */
export function highestRate(arrival: Arrival): number {
  switch (arrival.executor) {
    case "constant-arrival-rate":
      return arrival.rate;
    case "recorded-arrivals":
      return arrival.peak_rate ?? arrival.rate;
    case "ramping-arrival-rate":
      return Math.max(arrival.start_rate ?? 0, ...arrival.stages.map(({ target }) => target));
  }
}

/** Maximum ratio of a log's peak to a plan's highest rate without a warning. */
const MOST_ABOVE = 2;

/**
 * Returns the level of a note on a plan's highest rate, and advice to add to it. Both rates are in
 * requests per second.
 */
export function peakAdvice(
  highest: number,
  peak: number,
): { level: "info" | "warning"; advice: string } {
  // At any rate, some second has a request.
  return peak > MOST_ABOVE * Math.max(1, highest)
    ? { level: "warning", advice: "; `--shape exact` replays the log's own bursts" }
    : { level: "info", advice: "" };
}
