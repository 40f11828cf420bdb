import { formatThousands } from "../../base/format.ts";
import type { MetricKind } from "../../plan/text/metrics.ts";
import type { Counter, Gauge, MetricOf, Rate, Trend } from "./metric.ts";

/** Largest value that a trend accepts. */
const MAX_TREND = 1e12;

/**
 * Records a value. If the metric does not accept the value, returns the reason; otherwise, returns
 * undefined.
 */
export type RecordValue = (value: number | boolean) => string | undefined;

/**
 * Returns a function that adds a value to each of `metrics`: a metric that the plan defines, and
 * its sub-metrics with matching tags.
 */
export function valueRecorder(kind: MetricKind, metrics: MetricOf<MetricKind>[]): RecordValue {
  switch (kind) {
    case "counter":
      return (value) => {
        if (!Number.isSafeInteger(value) || Number(value) < 0) {
          return `a counter needs a whole number of at least 0, found ${value}`;
        }
        for (const counter of metrics as Counter[]) counter.add(Number(value));
        return undefined;
      };
    case "rate":
      return (value) => {
        for (const rate of metrics as Rate[]) rate.add(Boolean(value));
        return undefined;
      };
    case "gauge":
      return (value) => {
        if (!Number.isFinite(value)) return `a gauge needs a number, found ${value}`;
        for (const gauge of metrics as Gauge[]) gauge.set(Number(value));
        return undefined;
      };
    case "trend":
      return (value) => {
        if (!(Number(value) >= 0 && Number(value) <= MAX_TREND)) {
          return `a trend needs a number from 0 to ${formatThousands(MAX_TREND)}, found ${value}`;
        }
        for (const trend of metrics as Trend[]) trend.addMs(Number(value));
        return undefined;
      };
  }
}
