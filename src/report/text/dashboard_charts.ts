import { perSecond, time } from "../../base/format.ts";
import type { TimelinePoint } from "../../engine/summary/summary.ts";
import type { Style } from "./print_blocks.ts";

/** Minimum and maximum number of rows in a chart, excluding its title. */
const CHART_ROWS = { min: 3, max: 12 };
/** Width of a chart's axis, in columns. */
const AXIS = 9;
const BLOCKS = " ▁▂▃▄▅▆▇█";

/** A metric that is drawn as a chart if the window has enough rows. */
interface Chart {
  readonly title: string;
  value(point: TimelinePoint): number;
  format(value: number): string;
}

const CHARTS: readonly Chart[] = [
  { title: "Requests per second", value: ({ requests }) => requests, format: perSecond },
  { title: "Response time (p95)", value: ({ p95 }) => p95, format: time },
  { title: "Failed requests per second", value: ({ failed }) => failed, format: perSecond },
];

/**
 * Draws charts of the last seconds in rows that the rest of the dashboard does not use. Returns at
 * most `rows` lines. Draws fewer charts if they would otherwise have too few rows.
 */
export function chartLines(
  recent: readonly TimelinePoint[],
  rows: number,
  width: number,
  gap: readonly string[],
  style: Style,
): string[] {
  const least = gap.length + 1 + CHART_ROWS.min;
  const shown = CHARTS.slice(0, Math.floor(rows / least));
  if (recent.length === 0) return [];
  return shown.flatMap((chart, i) => {
    // If the rows cannot be divided equally, the first charts get one more row than the others.
    const share = Math.floor(rows / shown.length) + (i < rows % shown.length ? 1 : 0);
    const height = Math.min(CHART_ROWS.max, share - gap.length - 1);
    return [...gap, style.strong(chart.title), ...draw(chart, recent, height, width, style)];
  });
}

function draw(
  { value, format }: Chart,
  recent: readonly TimelinePoint[],
  rows: number,
  width: number,
  style: Style,
): string[] {
  const values = recent.slice(-(width - AXIS - 1)).map(value);
  const most = Math.max(...values);
  const steps = BLOCKS.length - 1;
  return Array.from({ length: rows }, (_, i) => {
    const below = (rows - 1 - i) * steps;
    const axis = i === 0 ? format(most) : i === rows - 1 ? "0" : "";
    const bars = values.map((value) => {
      const height = most > 0 ? Math.ceil(value / most * rows * steps) : 0;
      return BLOCKS[Math.max(0, Math.min(steps, height - below))];
    });
    return `${style.faint(axis.padStart(AXIS))} ${bars.join("").padStart(width - AXIS - 1)}`;
  });
}
