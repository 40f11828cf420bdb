import { bytes, count, time } from "../../base/format.ts";
import { mapPercentiles } from "../../engine/summary/codes.ts";
import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { SHOWN_TIMES, statLabel } from "../shown_times.ts";
import type { EndpointDetail } from "./chart.ts";
import { endpointLimits } from "./chart_limits.ts";
import { seriesPoints, sumOver } from "./series_points.ts";

/** Returns the details of each endpoint, in the order of the summary. */
export function endpointDetails(summary: Summary): EndpointDetail[] {
  return summary.endpoints.map((endpoint) => endpointDetail(endpoint, summary));
}

function endpointDetail(endpoint: EndpointStats, summary: Summary): EndpointDetail {
  const { series = { step: 1, count: [], failed: [], avg: [] } } = endpoint;
  const points = seriesPoints(series, summary.duration_ms);
  const perSecond = (counts: readonly number[]) =>
    points.map((point) => Number((sumOver(point, counts) / point.seconds).toPrecision(3)));
  const statuses = Object.entries(series.statuses ?? {});
  return {
    facts: facts(endpoint),
    step: series.step,
    percentiles: mapPercentiles((_, key) => {
      const values = series[key] ?? [];
      return points.map(({ from, to }) => {
        if (sumOver({ from, to }, series.count) === 0 || values.length === 0) return null;
        return Number(Math.max(0, ...values.slice(from, to)).toPrecision(3));
      });
    }),
    rates: [
      ...statuses.map(([name, counts]) => ({
        label: name === "none" ? "no response" : name,
        values: perSecond(counts),
      })),
      ...(endpoint.failed > 0 ? [{ label: "failed", values: perSecond(series.failed) }] : []),
    ],
    limits: endpointLimits(summary, endpoint),
  };
}

function facts(endpoint: EndpointStats): [string, string][] {
  const { http_req_duration: times, bytes_sent, bytes_received, omitted_headers = 0 } = endpoint;
  return [
    ...SHOWN_TIMES.trends.map((key): [string, string] => [statLabel(key), time(times[key])]),
    ["sent", bytes(bytes_sent)],
    ["received", bytes(bytes_received)],
    ...(omitted_headers > 0
      ? [["headers omitted", count(omitted_headers)] as [string, string]]
      : []),
  ];
}
