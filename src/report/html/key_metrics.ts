import type { Summary } from "../../engine/summary/summary.ts";
import { SHOWN_TIMES, statLabel, type TimeAggregation } from "../shown_times.ts";
import { countCell, type NumberCell, shareCell, sizeCell, timeCell } from "../blocks.ts";
import { metricKind } from "../summary_stats.ts";
import { bytes, perSecond, plural } from "../../base/format.ts";
import { type Markup, markup } from "../markup.ts";

/** A headline metric, which is shown in large type. */
export interface KeyMetric {
  readonly label: string;
  readonly cell: NumberCell;
  readonly detail?: string;
  /** True for the metrics that readers look for first. */
  readonly isLead?: boolean;
}

/** Renders the key metrics of a run as a row of numbers in large type. */
export function keyMetrics(summary: Summary): Markup {
  return metricList(keyMetricList(summary));
}

/** Renders metrics as a row of numbers in large type. */
export function metricList(metrics: readonly KeyMetric[]): Markup {
  const tiles = metrics.map(({ label, cell: { text, value, tone }, detail, isLead }) =>
    markup`
      <div class="${isLead ? "lead" : undefined}">
        <dt>${label}</dt>
        <dd class="${tone}" data-value="${value}">${text}</dd>
        <dd class="faint">${detail}</dd>
      </div>
    `
  );
  return markup`<dl class="metrics">${tiles}</dl>`;
}

function keyMetricList({ metrics, failure }: Summary): KeyMetric[] {
  // Without a response, durations look good, but only show how fast connections were refused.
  const isDead = failure === "no request got a response";
  return Object.entries(SHOWN).flatMap(([name, show]) => {
    const metric = metrics[name];
    if (metric === undefined || isDead && name === "http_req_duration") return [];
    return show(metricKind(metric));
  });
}

type Kind = ReturnType<typeof metricKind>;

const SHOWN: Readonly<Record<string, (metric: Kind) => KeyMetric[]>> = {
  http_reqs: (metric) => {
    if (metric.kind !== "counter") return [];
    const { count, rate } = metric.stats;
    return [{
      label: "Requests sent",
      cell: countCell(count),
      detail: perSecond(rate),
      isLead: true,
    }];
  },
  http_req_failed: (metric) => {
    if (metric.kind !== "rate") return [];
    const { value, passes, fails } = metric.stats;
    const cell = shareCell(value, passes > 0 ? "bad" : undefined);
    const detail = `${countCell(passes).text} of ${plural(passes + fails, "request")}`;
    return [{ label: "Failed", cell, detail, isLead: true }];
  },
  http_req_duration: (metric) => {
    if (metric.kind !== "trend") return [];
    const { stats } = metric;
    return SHOWN_TIMES.keyMetrics.map((key) => ({
      label: timeLabel(key),
      cell: timeCell(stats[key]),
      isLead: key === "p(95)" || key === "p(99)",
    }));
  },
  iterations: (metric) => {
    if (metric.kind !== "counter") return [];
    const { count, rate } = metric.stats;
    return [{ label: "Iterations", cell: countCell(count), detail: perSecond(rate) }];
  },
  dropped_iterations: (metric) => {
    if (metric.kind !== "counter") return [];
    const { count } = metric.stats;
    const cell = countCell(count, count > 0 ? "bad" : undefined);
    return [{
      label: "Dropped iterations",
      cell,
      ...(count > 0 && { detail: "no free VU" }),
    }];
  },
  checks: (metric) => {
    if (metric.kind !== "rate" || metric.stats.passes + metric.stats.fails === 0) return [];
    const { value, fails } = metric.stats;
    const detail = fails > 0 ? `${countCell(fails).text} failed` : "all passed";
    return [{
      label: "Checks",
      cell: shareCell(value, fails > 0 ? "bad" : undefined),
      detail,
    }];
  },
  data_received: (metric) => {
    if (metric.kind !== "counter") return [];
    const { count, rate } = metric.stats;
    return [{ label: "Received", cell: sizeCell(count), detail: `${bytes(rate)}/s` }];
  },
};

function timeLabel(aggregation: TimeAggregation): string {
  if (aggregation === "med") return "Median";
  return aggregation === "max" ? "Slowest" : statLabel(aggregation);
}
