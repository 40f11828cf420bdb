import type { RateCurve } from "./curve_within.ts";

/**
 * Limits the rate of a curve to `highest`, in requests per second, and returns the new curve. A
 * stage whose mean rate is at most `highest` still sends the same number of requests, or slightly
 * fewer. A stage that partly exceeds `highest` becomes a steeper ramp and a flat part at `highest`.
 * If the ramp has a length of 0, two points of the curve have the same time.
 */
export function clipRate({ times, rates }: RateCurve, highest: number): RateCurve {
  const clipped = { times: [times[0]], rates: [Math.min(highest, rates[0])] };
  const add = (time: number, rate: number) => {
    clipped.times.push(time);
    clipped.rates.push(Math.min(highest, rate));
  };
  for (let i = 1; i < times.length; i++) {
    const [start, end, from, to] = [times[i - 1], times[i], rates[i - 1], rates[i]];
    const over = Math.max(from, to) - highest;
    const room = highest - Math.min(from, to);
    if (over > 0 && room > 0) {
      // Use whole milliseconds, as in a plan. Round down, so that the curve sends no extra
      // requests.
      const flat = Math.floor((end - start) * Math.min(1, over / room) * 1_000) / 1_000;
      if (end - start - flat < 0.001_5) {
        const mean = (from + to) / 2;
        add(start, mean);
        add(end, mean);
      } else add(from > to ? start + flat : end - flat, highest);
    }
    add(end, to);
  }
  return mergeStages(clipped);
}

/**
 * Returns the curve without redundant points: points within a stage of constant rate, and rates
 * that last for 0 seconds. Two points with the same time represent an immediate change of the rate,
 * which cannot occur at the start or the end of the curve.
 */
export function mergeStages({ times, rates }: RateCurve): RateCurve {
  const merged = { times: [times[0]], rates: [rates[0]] };
  const end = times[times.length - 1];
  for (let i = 1; i < times.length; i++) {
    const last = merged.times.length - 1;
    const isJump = times[i] === merged.times[last];
    // Of several points with the same time, only the first and the last one count.
    const isSecondJump = isJump && (last === 0 || times[i] === merged.times[last - 1]);
    const isFlat = last > 0 && rates[i] === merged.rates[last] &&
      rates[i] === merged.rates[last - 1];
    if (isJump && (rates[i] === merged.rates[last] || times[i] === end && last > 0)) continue;
    if (isSecondJump) merged.rates[last] = rates[i];
    else if (isFlat) merged.times[last] = times[i];
    else {
      merged.times.push(times[i]);
      merged.rates.push(rates[i]);
    }
  }
  return merged;
}
