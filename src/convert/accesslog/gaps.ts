import { formatMs } from "../../base/duration.ts";
import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/traffic_profile.ts";
import type { Note } from "../note.ts";
import { percentText, rateText } from "../wording.ts";

/** A log has gaps if this share of the requests is in less than `BUSY_TIME` of the span. */
const BUSY_REQUESTS = 0.9;
const BUSY_TIME = 0.1;
/** Minimum length of a bucket, so that a burst in each minute does not count as gaps. */
const BUCKET_SECONDS = 60;
/** Mean requests per bucket, so that random variation does not count as gaps. */
const REQUESTS_PER_BUCKET = 10;
/** Periods with fewer buckets are not split. */
const LEAST_BUCKETS = 20;
const MOST_BUCKETS = 1_000;
/** A neighbour of a busy bucket joins it if it has this share of a busy bucket's mean requests. */
const EDGE = 0.05;
/** Maximum number of times that a period is searched again for gaps within it. */
const MOST_ZOOMS = 6;

/** The seconds from `first` to `last`, both inclusive, and the number of requests in them. */
interface Period {
  readonly first: number;
  readonly last: number;
  readonly requests: number;
}

/**
 * Warns if at least 90% of the requests are in less than 10% of the span. With an outlier or a long
 * gap, the average rate of the whole span describes no part of the log. The warning has the
 * `--since` and `--until` of the period to keep.
 */
export function gaps(profile: TrafficProfile, span: TimeSpan): Note | undefined {
  const { requests } = profile;
  let periods = [{ first: span.first, last: span.last, requests }];
  for (let zoom = 0; zoom < MOST_ZOOMS && periods.length === 1; zoom++) {
    const busy = busyPeriods(profile, periods[0]);
    if (busy === undefined) break;
    // An outlier hides gaps in the rest, so search the period that has nearly all requests.
    const main = busy.find((period) => period.requests >= BUSY_REQUESTS * periods[0].requests);
    periods = main === undefined ? busy : [main];
  }
  const seconds = sum(periods.map(periodSeconds));
  if (seconds >= span.seconds * BUSY_TIME) return undefined;
  const inside = sum(periods.map((period) => period.requests));
  const busiest = periods.reduce((a, b) => b.requests > a.requests ? b : a);
  const [where, kept] = periods.length === 1 ? ["", "keeps that period"] : [
    ` (${periods.length} periods)`,
    `keeps the busiest period, with ${percentText(busiest.requests, requests)}`,
  ];
  return {
    code: "gaps",
    subject: "time span",
    message:
      `${percentText(inside, requests)} of the requests are in ${formatMs(seconds * 1_000)} of ` +
      `the log's ${formatMs(span.seconds * 1_000)}${where}, at ${
        rateText(inside / seconds)
      } req/s; ` +
      `the average over the whole span is ${rateText(requests / span.seconds)} req/s; ` +
      `\`--since ${timeText(busiest.first)} --until ${timeText(busiest.last + 1)}\` ${kept}`,
  };
}

/** Formats Unix seconds as ISO 8601 in UTC, as `--since` and `--until` accept it. */
export function timeText(second: number): string {
  return new Date(second * 1_000).toISOString().replace(".000Z", "Z");
}

/** Returns the busy periods within a period, in order; undefined if it has no gaps. */
function busyPeriods(profile: TrafficProfile, within: Period): Period[] | undefined {
  const most = Math.min(MOST_BUCKETS, Math.floor(periodSeconds(within) / BUCKET_SECONDS));
  if (most < LEAST_BUCKETS) return undefined;
  const wanted = Math.floor(within.requests / REQUESTS_PER_BUCKET);
  const size = Math.min(most, Math.max(LEAST_BUCKETS, wanted));
  const buckets = toBuckets(profile, within, size);
  const isBusy = busyBuckets(buckets, within.requests);
  if (isBusy === undefined) return undefined;
  const periods: Period[] = [];
  buckets.forEach((bucket, i) => {
    if (!isBusy[i]) return;
    const before = isBusy[i - 1] ? periods.pop()! : undefined;
    periods.push({
      first: before?.first ?? bucket.first,
      last: bucket.last,
      requests: bucket.requests + (before?.requests ?? 0),
    });
  });
  return periods;
}

/**
 * Divides a period into `size` equal buckets. Each has its requests and the first and last second with
 * requests; -1 if it has none.
 */
function toBuckets(profile: TrafficProfile, { first, last }: Period, size: number): Period[] {
  const buckets = Array.from({ length: size }, () => ({ first: -1, last: -1, requests: 0 }));
  const seconds = last - first + 1;
  for (const { start, counts } of profile.secondRuns()) {
    for (const [i, count] of counts.entries()) {
      const second = start + i;
      if (second < first || second > last) continue;
      const bucket = buckets[Math.floor((second - first) * size / seconds)];
      if (bucket.requests === 0) bucket.first = second;
      bucket.last = second;
      bucket.requests += count;
    }
  }
  return buckets;
}

/** Flags the fewest buckets with 90% of the requests; undefined if they are 10% of all buckets or more. */
function busyBuckets(buckets: readonly Period[], requests: number): boolean[] | undefined {
  const byRequests = [...buckets.keys()].sort((a, b) => buckets[b].requests - buckets[a].requests);
  const isBusy = new Array<boolean>(buckets.length).fill(false);
  let inside = 0;
  let count = 0;
  for (; inside < BUSY_REQUESTS * requests; count++) {
    isBusy[byRequests[count]] = true;
    inside += buckets[byRequests[count]].requests;
  }
  if (count >= buckets.length * BUSY_TIME) return undefined;
  const least = Math.max(1, EDGE * inside / count);
  const isEdge = (i: number) => (isBusy[i - 1] || isBusy[i + 1]) && buckets[i].requests >= least;
  return isBusy.map((busy, i) => busy || isEdge(i) === true);
}

function periodSeconds({ first, last }: Period): number {
  return last - first + 1;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
