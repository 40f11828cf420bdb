import type { EndpointSeries } from "../summary.ts";

/** The most stretches that are kept: a sparkline shows no more. */
const MOST = 60;

/** What is counted in one stretch; the sum is of `http_req_duration` in µs. */
interface Stretch {
  count: number;
  failed: number;
  sum: number;
}

/** Keeps an endpoint's requests over time in bounded room: its stretches get longer as the run does. */
export class SeriesRecorder {
  #step = 1;
  #stretches: Stretch[] = [];
  #before: Stretch = { count: 0, failed: 0, sum: 0 };

  /** Closes the second that ends `at` seconds after the start, with all that was counted until then. */
  tick(at: number, count: number, failed: number, sum: number): void {
    while (Math.floor((at - 1) / this.#step) >= MOST) {
      this.#stretches = coarser(this.#stretches, 2);
      this.#step *= 2;
    }
    const index = Math.floor((at - 1) / this.#step);
    const { length } = this.#stretches;
    for (let i = length; i <= index; i++) this.#stretches.push({ count: 0, failed: 0, sum: 0 });
    const before = this.#before;
    const stretch = this.#stretches[index];
    stretch.count += count - before.count;
    stretch.failed += failed - before.failed;
    stretch.sum += sum - before.sum;
    this.#before = { count, failed, sum };
  }

  /** What it kept. */
  data(): EndpointSeries {
    return toSeries(this.#step, this.#stretches);
  }
}

/** Adds up the series of several shares; none where one of them kept none. */
export function mergeSeries(
  a: EndpointSeries | undefined,
  b: EndpointSeries | undefined,
): EndpointSeries | undefined {
  if (a === undefined || b === undefined) return undefined;
  const step = Math.max(a.step, b.step);
  const [one, two] = [a, b].map((series) => coarser(toStretches(series), step / series.step));
  const length = Math.max(one.length, two.length);
  return toSeries(step, Array.from({ length }, (_, i) => together([one[i], two[i]])));
}

/** Moves a series by `seconds`, with longer stretches if their number would exceed the maximum. */
export function shiftSeries(series: EndpointSeries, seconds: number): EndpointSeries {
  let step = series.step;
  const length = series.count.length * series.step;
  while (Math.ceil((length + seconds) / step) > MOST) step *= 2;
  const moved = Array.from(
    { length: Math.ceil((length + seconds) / step) },
    (): Stretch => ({ count: 0, failed: 0, sum: 0 }),
  );
  toStretches(series).forEach((stretch, i) => {
    const at = Math.floor((i * series.step + seconds) / step);
    moved[at] = together([moved[at], stretch]);
  });
  return toSeries(step, moved);
}

function coarser(stretches: readonly Stretch[], by: number): Stretch[] {
  return Array.from(
    { length: Math.ceil(stretches.length / by) },
    (_, i) => together(stretches.slice(i * by, (i + 1) * by)),
  );
}

function together(stretches: readonly (Stretch | undefined)[]): Stretch {
  const all = { count: 0, failed: 0, sum: 0 };
  for (const stretch of stretches) {
    all.count += stretch?.count ?? 0;
    all.failed += stretch?.failed ?? 0;
    all.sum += stretch?.sum ?? 0;
  }
  return all;
}

function toStretches({ count, failed, avg }: EndpointSeries): Stretch[] {
  return count.map((n, i) => ({
    count: n,
    failed: failed[i] ?? 0,
    sum: n * (avg[i] ?? 0) * 1_000,
  }));
}

function toSeries(step: number, stretches: readonly Stretch[]): EndpointSeries {
  return {
    step,
    count: stretches.map(({ count }) => count),
    failed: stretches.map(({ failed }) => failed),
    avg: stretches.map(({ count, sum }) => count === 0 ? 0 : Math.round(sum / count) / 1_000),
  };
}
