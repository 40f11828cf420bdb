import type { Step } from "../../../plan/kinds/steps/steps.ts";
import { pauseQuantile } from "../../../traffic/accesslog/collect/visits/pause_counts.ts";
import type { PauseSum } from "../../../traffic/accesslog/collect/visits/visit_table.ts";

/**
 * Minimum mean pause in ms. Shorter pauses cannot be measured, because most logs record timestamps
 * in whole seconds.
 */
const SHORTEST_MS = 500;
/**
 * Quantiles that divide a skewed distribution of pauses into ranges. The pauses in each range
 * become one uniform think time.
 */
const KNOTS = [0.5, 0.8, 0.95];
/**
 * Minimum number of recorded pauses for meaningful quantiles. If there are fewer, the think time is
 * uniform.
 */
const LEAST_COUNTED = 16;
/**
 * Maximum deviation of a single uniform think time from the recorded median and p95: `relative`
 * times the recorded value, plus `ms` milliseconds.
 */
const CLOSE = { relative: 0.15, ms: 500 };

interface Range {
  readonly min: number;
  readonly max: number;
}

/**
 * Returns steps whose think times reproduce the recorded pauses. `count` is the number of recorded
 * pauses. Evenly distributed pauses become one uniform think time. Skewed pauses, which are typical
 * of people, become a weighted choice of uniform think times that keeps the median, p80, p95 and,
 * if possible, the mean. Returns an empty list if the mean pause is below half a second.
 */
export function pauseLike({ sum, squares, counts }: PauseSum, count: number): Step[] {
  const mean = sum / count;
  if (mean < SHORTEST_MS) return [];
  const deviation = Math.sqrt(Math.max(0, squares / count - mean ** 2));
  const spread = Math.min(mean, Math.sqrt(3) * deviation);
  const even = { min: mean - spread, max: mean + spread };
  const counted = counts?.reduce((all, one) => all + one, 0) ?? 0;
  return counts === undefined || counted < LEAST_COUNTED || isClose(even, counts)
    ? [thinkTime(even)]
    : [skewed(mean, counts)];
}

function isClose({ min, max }: Range, counts: Uint32Array): boolean {
  return [0.5, 0.95].every((share) => {
    const observed = pauseQuantile(counts, share);
    const off = Math.abs(min + (max - min) * share - observed);
    return off <= CLOSE.relative * observed + CLOSE.ms;
  });
}

function skewed(mean: number, counts: Uint32Array): Step {
  const knots = [0.02, ...KNOTS].map((share) => pauseQuantile(counts, share));
  const weights = [...KNOTS, 1].map((share, i) => share - (i === 0 ? 0 : KNOTS[i - 1]));
  // The maximum pause follows from the mean, but is at most the recorded maximum.
  const below = KNOTS.reduce((all, _, i) => all + weights[i] * (knots[i] + knots[i + 1]) / 2, 0);
  const last = knots[KNOTS.length];
  const rest = 2 * (mean - below) / weights[KNOTS.length] - last;
  knots.push(Math.max(last, Math.min(pauseQuantile(counts, 1), rest)));
  return {
    random: {
      strategy: "weighted",
      choices: weights.map((weight, i) => ({
        weight: Math.round(100 * weight),
        steps: [thinkTime({ min: knots[i], max: knots[i + 1] })],
      })),
    },
  };
}

function thinkTime({ min, max }: Range): Step {
  const text = (ms: number) => `${Math.round(ms)}ms`;
  return max - min < 2
    ? { think_time: { type: "constant", duration: text((min + max) / 2) } }
    : { think_time: { type: "uniform", min: text(min), max: text(max) } };
}
