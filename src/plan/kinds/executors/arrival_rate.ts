import * as z from "zod";
import { durationMs } from "../../../base/format.ts";
import { countOrZero, countSchema, duration } from "../../values/values.ts";

/** Schemas of the keys that all open executors share. */
export const openKeys = {
  time_unit: duration.optional().describe("Time unit of the rates (default: 1s)"),
  pre_allocated_vus: countOrZero.meta({
    description: "Number of VUs to create before the start",
    examples: [20],
  }),
  max_vus: countSchema.optional().meta({
    description: "Maximum number of VUs (default: the value of `pre_allocated_vus`)",
    examples: [100],
  }),
};

/** Schemas of the keys that executors with a rate curve share. */
export const arrivalKeys = {
  arrivals: z.enum(["even", "poisson"]).optional().describe(
    "`even`: equal intervals at a constant rate; `poisson`: random intervals, as with independent " +
      "users, with the same number of iterations (default: even)",
  ),
  ...openKeys,
};

interface Arrivals {
  readonly time_unit?: string | number;
  readonly pre_allocated_vus: number;
  readonly max_vus?: number;
}

/** Returns the maximum number of VUs of an open-model scenario. */
export function maxVus({ max_vus, pre_allocated_vus }: Arrivals): number {
  return max_vus ?? pre_allocated_vus;
}

/** Converts a rate per `time_unit` to iterations per second. */
export function perSecond(rate: number, { time_unit = "1s" }: Arrivals): number {
  return rate / (durationMs(time_unit)! / 1_000);
}

/**
 * Returns the new `pre_allocated_vus` and `max_vus` of an open-model scenario. If `vus` is set,
 * both are equal to it. Otherwise, a `rateScale` above 1 multiplies them, because by Little's law a
 * higher rate keeps more VUs busy.
 */
export function changedPool(
  scenario: Arrivals,
  vus: number | undefined,
  rateScale: number,
): Partial<Arrivals> {
  if (vus !== undefined) return { pre_allocated_vus: vus, max_vus: vus };
  if (rateScale <= 1) return {};
  const { pre_allocated_vus, max_vus = Math.max(1, pre_allocated_vus) } = scenario;
  return {
    pre_allocated_vus: Math.ceil(pre_allocated_vus * rateScale),
    max_vus: Math.ceil(max_vus * rateScale),
  };
}
