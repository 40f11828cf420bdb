import * as z from "zod";

/** Readonly version of a type, including its nested values. */
export type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;

/** Schema for a number of events: a non-negative integer. */
export const count = z.number().int().nonnegative();

/** Schema for a duration in milliseconds. */
export const ms = z.number().nonnegative();

const counterStats = z.object({
  count,
  rate: z.number().nonnegative().describe("Average count per second over the whole run"),
}).meta({ id: "counter" });

/** Statistics of a counter. */
export type CounterStats = Immutable<z.infer<typeof counterStats>>;

const rateStats = z.object({
  value: z.number().min(0).max(1).describe("Fraction of samples that are true"),
  passes: count.describe(
    "Number of samples that are true, as in k6; for `http_req_failed`, the number of failed requests",
  ),
  fails: count.describe("Number of samples that are false"),
}).meta({ id: "rate" });

/** Statistics of a rate. */
export type RateStats = Immutable<z.infer<typeof rateStats>>;

const gaugeStats = z.object({
  value: z.number().describe("Last value"),
  min: z.number(),
  max: z.number(),
}).meta({ id: "gauge" });

/** Statistics of a gauge: last, lowest and highest value. */
export type GaugeStats = Immutable<z.infer<typeof gaugeStats>>;

/** Schema for the statistics of a trend. */
export const trendStats = z.object({
  count,
  avg: ms,
  min: ms,
  med: ms,
  max: ms,
  "p(90)": ms,
  "p(95)": ms,
  "p(99)": ms,
  "p(99.9)": ms,
}).meta({
  id: "trend",
  description: "Values in milliseconds, except `count`; all 0 if there are no samples",
});

/** Statistics of a trend. All values are 0 if there are no samples. */
export type TrendStats = Immutable<z.infer<typeof trendStats>>;

/** Schema for the statistics of a metric of any kind. */
export const metricStats = z.union([counterStats, rateStats, gaugeStats, trendStats]);

/** Statistics of one metric, in the format of k6's summary export. */
export type MetricStats = Immutable<z.infer<typeof metricStats>>;
