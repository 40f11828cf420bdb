import type { Step } from "../../../plan/schema/step.ts";

/**
 * A pause with the mean and the spread of those observed, evenly spread where that needs no negative
 * one; none when they are shorter than half a second in the mean, as most logs tell no less than one.
 */
export function pauseLike(sum: number, squares: number, count: number): Step[] {
  const mean = sum / count;
  if (mean < 500) return [];
  const deviation = Math.sqrt(Math.max(0, squares / count - mean ** 2));
  const spread = Math.min(mean, Math.sqrt(3) * deviation);
  const text = (ms: number) => `${Math.round(ms)}ms`;
  if (spread < 1) return [{ think_time: { type: "constant", duration: text(mean) } }];
  return [{ think_time: { type: "uniform", min: text(mean - spread), max: text(mean + spread) } }];
}
