import { toSeries } from "../../engine/metrics/series_interval.ts";
import type { Chart, Tone } from "./chart.ts";
import { seriesPoints, sumOver } from "./series_points.ts";
import type { TotalSeries } from "./total_series.ts";

/** Color of the line for each status class. `none` means that there was no response. */
const TONES: Readonly<Record<string, Tone>> = {
  "1xx": "quiet",
  "2xx": "two",
  "3xx": "quiet",
  "4xx": "three",
  "5xx": "warn",
  none: "warn",
};

/**
 * Creates a chart of the responses per second by status class, and its x-axis. Returns undefined if
 * the counts over time are unknown, or if there are fewer than two classes.
 */
export function statusChart(
  total: TotalSeries | undefined,
  durationMs: number,
): { readonly seconds: readonly number[]; readonly chart: Chart } | undefined {
  if (total === undefined) return undefined;
  const series = toSeries(total.step, total.intervals);
  const classes = Object.entries(series.statuses ?? {});
  if (classes.length < 2) return undefined;
  const points = seriesPoints(series, durationMs);
  return {
    seconds: points.map(({ at }) => at),
    chart: {
      title: "Responses by status",
      label: "per second",
      axis: "intervals",
      unit: "rate",
      series: classes.map(([name, counts]) => ({
        label: name === "none" ? "no response" : name,
        tone: TONES[name] ?? "quiet",
        // The line for `no response` is dashed, because it has the same color as the line for 5xx.
        dashed: name === "none",
        values: points.map((point) =>
          Number((sumOver(point, counts) / point.seconds).toPrecision(4))
        ),
      })),
    },
  };
}
