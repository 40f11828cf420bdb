import { formatMs, plural } from "../../base/format.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { type RunWarning, runWarnings } from "../run_warnings.ts";
import {
  ENDING_WORDS,
  environmentParts,
  formatTime,
  incompleteness,
  metricTotal,
  thresholdCounts,
  verdictDoubts,
} from "../summary_words.ts";
import { codeSpans, type Markup, markup } from "../markup.ts";
import { metricKind, SHOWN_TIMES, statLabel, type TimeAggregation } from "../stats.ts";
import { type Banner, type Tile, timeCell } from "../blocks.ts";

/** Creates the banner of a run: its verdict, name, time and environment, and the warnings. */
export function runBanner(summary: Summary): Banner {
  const { name, started_at, seed } = summary;
  const [tone, word] = thresholdCounts(summary);
  const doubts = verdictDoubts(summary).map((doubt) =>
    markup`; <strong class="bad">⚠ ${doubt}</strong>`
  );
  const reasons = incompleteness(summary).map((reason) => markup`<p class="bad">${reason}</p>`);
  const started = markup`<time datetime="${started_at}">${formatTime(started_at)}</time>`;
  return {
    banner: word,
    tone,
    text: [result(summary), doubts],
    title: title(name),
    more: markup`
      ${reasons}
      <p class="faint">${ended(summary)} · started ${started} · seed ${seed}</p>
      ${environmentLine(summary)}
      ${warningList(runWarnings(summary))}
    `,
  };
}

/** Returns the name of a run, or `Unnamed run` if it has no name. */
export function title(name: string): string {
  return name === "" ? "Unnamed run" : name;
}

function result({ thresholds, failure }: Summary): string {
  const all = plural(thresholds.length, "threshold");
  const failed = thresholds.filter(({ passed }) => passed === false).length;
  const unknown = thresholds.filter(({ passed }) => passed === null).length;
  const counts = thresholds.length === 0
    ? "no thresholds"
    : failed > 0
    ? `${failed} of ${all} failed`
    : unknown > 0
    ? `${all} not evaluated`
    : `${all} passed`;
  return failure === undefined ? counts : `${failure}; ${counts}`;
}

function environmentLine({ environment }: Summary): Markup | undefined {
  if (environment === undefined) return undefined;
  const text = environmentParts(environment).join(" · ");
  return markup`<p class="faint environment">${text}</p>`;
}

/** Creates a list of warnings. Returns undefined if there are no warnings. */
export function warningList(warnings: readonly RunWarning[]): Markup | undefined {
  if (warnings.length === 0) return undefined;
  const items = warnings.map(({ scenario, text }) =>
    markup`<li>${scenario === undefined ? undefined : markup`<b>${scenario}</b>: `}${
      codeSpans(text)
    }</li>`
  );
  return markup`<div class="warnings" role="note" aria-label="Warnings"><ul>${items}</ul></div>`;
}

function ended({ ending, duration_ms }: Summary): string {
  return `${ENDING_WORDS[ending]} ${formatMs(duration_ms)}`;
}

const SHOWN: readonly [metric: string, label: string][] = [
  ["http_reqs", "Requests sent"],
  ["http_req_failed", "Failed"],
  ["http_req_duration", ""],
  ["iterations", "Iterations"],
  ["dropped_iterations", "Dropped iterations"],
  ["checks", "Checks"],
  ["data_received", "Received"],
];

export function keyMetrics({ metrics, failure }: Summary): Tile[] {
  // Without a response, durations look good, but only show how fast connections were refused.
  const isDead = failure === "no request got a response";
  return SHOWN.flatMap(([name, label]): Tile[] => {
    const metric = metrics[name];
    if (metric === undefined) return [];
    const { kind, stats } = metricKind(metric);
    if (kind !== "trend") {
      const total = metricTotal(name, metric);
      return total === undefined ? [] : [{ label, ...total }];
    }
    if (isDead) return [];
    return SHOWN_TIMES.keyMetrics.map((key) => {
      return { label: timeLabel(key), cell: timeCell(stats[key]) };
    });
  });
}

function timeLabel(aggregation: TimeAggregation): string {
  if (aggregation === "med") return "Median";
  return aggregation === "max" ? "Slowest" : statLabel(aggregation);
}
