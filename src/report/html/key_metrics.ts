import type { Summary } from "../../engine/summary.ts";
import { metricKind } from "../metric_kind.ts";
import { plural } from "../../base/plural.ts";
import { bytes, perSecond } from "../text/units.ts";
import { html, type Markup } from "./markup.ts";
import { countCell, type NumberCell, shareCell, sizeCell, timeCell } from "./number.ts";

/** A figure that is looked for first. */
export interface KeyMetric {
  readonly label: string;
  readonly cell: NumberCell;
  readonly beside?: string;
}

/** The handful of figures that are looked for first. */
export function keyMetrics(summary: Summary): Markup {
  return metricList(figures(summary));
}

/** Figures beside each other, large. */
export function metricList(figures: readonly KeyMetric[]): Markup {
  return html`<dl class="figures">${
    figures.map(({ label, cell: { content, value, tone }, beside }) =>
      html`
        <div>
          <dt>${label}</dt>
          <dd class="${tone}" data-value="${value}">${content}</dd>
          <dd
            class="faint">${beside}</dd>
        </div>
      `
    )
  }</dl>`;
}

function figures({ metrics, failure }: Summary): KeyMetric[] {
  // Times of requests without a response are the times to be refused: they would look good.
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
    const { count, rate } = metric.figures;
    return [{ label: "Requests sent", cell: countCell(count), beside: perSecond(rate) }];
  },
  http_req_failed: (metric) => {
    if (metric.kind !== "rate") return [];
    const { value, passes, fails } = metric.figures;
    const cell = shareCell(value, passes > 0 ? "bad" : undefined);
    const beside = `${countCell(passes).content} of ${plural(passes + fails, "request")}`;
    return [{ label: "Failed", cell, beside }];
  },
  http_req_duration: (metric) => {
    if (metric.kind !== "trend") return [];
    const { med, "p(95)": p95, "p(99)": p99, max } = metric.figures;
    return [
      { label: "Median", cell: timeCell(med) },
      { label: "p95", cell: timeCell(p95) },
      { label: "p99", cell: timeCell(p99) },
      { label: "Slowest", cell: timeCell(max) },
    ];
  },
  iterations: (metric) => {
    if (metric.kind !== "counter") return [];
    const { count, rate } = metric.figures;
    return [{ label: "Iterations", cell: countCell(count), beside: perSecond(rate) }];
  },
  dropped_iterations: (metric) => {
    if (metric.kind !== "counter") return [];
    const { count } = metric.figures;
    const cell = countCell(count, count > 0 ? "bad" : undefined);
    return [{ label: "Dropped", cell, beside: "iterations, no VU was free" }];
  },
  checks: (metric) => {
    if (metric.kind !== "rate" || metric.figures.passes + metric.figures.fails === 0) return [];
    const { value, fails } = metric.figures;
    const beside = fails > 0 ? `${countCell(fails).content} failed` : "all passed";
    return [{ label: "Checks", cell: shareCell(value, fails > 0 ? "bad" : undefined), beside }];
  },
  data_received: (metric) => {
    if (metric.kind !== "counter") return [];
    const { count, rate } = metric.figures;
    return [{ label: "Received", cell: sizeCell(count), beside: `${bytes(rate)}/s` }];
  },
};
