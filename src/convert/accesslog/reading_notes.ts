import { formatMs, formatThousands, percentText, plural, sum } from "../../base/format.ts";
import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import { type Note, rateText } from "../notes/notes.ts";

export interface ReadingFacts {
  readonly profile: TrafficProfile;
  readonly filters: readonly FilterCount[];
  /** Unix milliseconds. Without it, timestamps may be in the future. */
  readonly now: number | undefined;
  readonly timeZone?: string;
}

export interface FilterCount {
  readonly option: string;
  /** Requests that this option excluded, without those that an earlier one did. */
  readonly dropped: number;
  /** The requests that are kept, unless the option describes them. */
  readonly kept?: string;
}

/** Notes on the log itself, such as gaps, odd timestamps, and malformed lines. */
export function readingNotes(facts: ReadingFacts): Note[] {
  const { profile, now } = facts;
  const span = profile.span();
  return [
    span && gaps(profile, span),
    span && oddTimes(profile, span, now),
    repeatedHour(facts),
    ...filtered(facts),
    withoutZone(facts),
    malformed(facts),
  ].filter((note) => note !== undefined);
}

/** Local times of the hour that occurs twice are read as those of the first one. */
function repeatedHour({ profile, timeZone }: ReadingFacts): Note | undefined {
  if (timeZone === undefined) return undefined;
  const offset = (hour: number) =>
    Temporal.Instant.fromEpochMilliseconds(hour * 3_600_000).toZonedDateTimeISO(timeZone)
      .offsetNanoseconds / 3.6e12;
  const hours = new Map<number, number>();
  profile.forEachSecond((second, requests) => {
    const hour = Math.floor(second / 3_600);
    hours.set(hour, (hours.get(hour) ?? 0) + requests);
  });
  for (const [hour, requests] of hours) {
    if (hours.has(hour + 1) || offset(hour) - offset(hour + 1) !== 1) continue;
    return {
      code: "repeated-hour",
      subject: "--time-zone",
      message: `the clocks of ${timeZone} went back at ${timeText((hour + 1) * 3_600)}: ` +
        `${plural(requests, "request")} of two hours have the same local times, and count in the ` +
        "first hour; log the time zone, or exclude this hour with `--since` and `--until`",
    };
  }
  return undefined;
}

/** 1990, before the first web server. */
const EARLIEST = 631_152_000;
/** Between the clocks of the server and this machine. */
const TOLERANCE_SECONDS = 300;

/** `now` is in Unix milliseconds. */
function oddTimes(
  profile: TrafficProfile,
  span: TimeSpan,
  now: number = Infinity,
): Note | undefined {
  const latest = now / 1_000 + TOLERANCE_SECONDS;
  if (span.first >= EARLIEST && span.last <= latest) return undefined;
  let [past, future] = [0, 0];
  let firstPast: number | undefined;
  let firstFuture: number | undefined;
  profile.forEachSecond((second, requests) => {
    if (second < EARLIEST) [past, firstPast] = [past + requests, firstPast ?? second];
    else if (second > latest) [future, firstFuture] = [future + requests, firstFuture ?? second];
  });
  const odd = [
    ...(firstPast === undefined ? [] : [dated(past, "before 1990", firstPast)]),
    ...(firstFuture === undefined ? [] : [dated(future, "in the future", firstFuture)]),
  ];
  if (odd.length === 0) return undefined;
  return {
    code: "odd-times",
    subject: "timestamps",
    message: `${odd.join(", and ")}; check the clock and the time zone of the server, or ` +
      "exclude such requests with `--since` and `--until`",
  };
}

function dated(count: number, when: string, first: number): string {
  return `${plural(count, "request")} ${count === 1 ? "is" : "are"} dated ${when} ` +
    `(first: ${timeText(first)})`;
}

function filtered({ profile, filters }: ReadingFacts): Note[] {
  const read = filters.reduce((sum, { dropped }) => sum + dropped, profile.requests);
  return filters.map(({ option, dropped, kept }) => ({
    code: "filtered",
    subject: option,
    message:
      `excluded ${plural(dropped, "request")}, ${
        percentText(dropped, read)
      } of the log's requests` + (kept === undefined ? "" : `, and kept ${kept}`),
  }));
}

function withoutZone({ profile }: ReadingFacts): Note | undefined {
  if (!profile.withoutZone) return undefined;
  return {
    code: "no-time-zone",
    subject: "timestamps",
    message:
      "the log's timestamps have no time zone and were read as UTC; if the server's clock is not " +
      "in UTC, give its zone with `--time-zone`, such as `--time-zone Europe/Berlin`",
  };
}

function malformed({ profile }: ReadingFacts): Note | undefined {
  if (profile.malformed === 0) return undefined;
  const samples = profile.malformedSamples();
  const lines = samples.map(({ reason, place }) =>
    `${reason} ${formatThousands(profile.malformedByReason[reason])}, first ` +
    `${place.source}:${place.line}: ${sampleText(place.snippet)}`
  );
  const other = samples.find(({ format }) => format !== undefined);
  return {
    code: "malformed-lines",
    subject: "malformed lines",
    message: `skipped ${plural(profile.malformed, "line")} that could not be parsed ` +
      `(${lines.join("; ")})` +
      (other === undefined ? "" : `; ${other.place.source}:${other.place.line} is in the ` +
        `format ${other.format}: ` +
        "convert such lines separately, for example with " +
        `\`grep … | rehearse convert - --log-format ${other.format} --profile …\``),
  };
}

const SAMPLE_CHARACTERS = 80;

function sampleText(line = ""): string {
  const start = [...line].slice(0, SAMPLE_CHARACTERS).join("");
  return JSON.stringify(start === line ? line : `${start}…`);
}

/** The user gave the same file twice: first as `first`, then as `name`. */
export function repeatedInput(name: string, first: string): Note {
  return {
    code: "same-file",
    subject: name,
    message: name === first
      ? "the file was given twice; it is read once"
      : `the same file was also given as \`${first}\`; it is read once`,
  };
}

const BUSY_REQUESTS = 0.9;
const BUSY_TIME = 0.1;
/** The warning suggests the busiest period if it has this fraction of the requests. */
const BUSIEST_REQUESTS = 0.5;
/** Pauses between bursts of each minute are not gaps. */
const BUCKET_SECONDS = 60;
const REQUESTS_PER_BUCKET = 10;
const LEAST_REQUESTS = 10;
/** Periods that are too short for this many buckets are not searched. */
const LEAST_BUCKETS = 50;
const MOST_BUCKETS = 1_000;
/** A bucket next to a busy one counts as busy from this fraction of the mean. */
const EDGE = 0.05;
/** Each search after the first covers the busy period that the previous one found. */
const MOST_ZOOMS = 6;

/** Unix seconds, both inclusive. */
interface Period {
  readonly first: number;
  readonly last: number;
  readonly requests: number;
}

/**
 * Warns if 90% of the requests are in less than 10% of the time span: a gap or an outlier makes the
 * average rate meaningless. Suggests `--since` and `--until`, or `--busiest`.
 */
function gaps(profile: TrafficProfile, span: TimeSpan): Note | undefined {
  const { requests } = profile;
  let periods = [{ first: span.first, last: span.last, requests }];
  for (let zoom = 0; zoom < MOST_ZOOMS && periods.length === 1; zoom++) {
    const busy = busyPeriods(profile, periods[0]);
    if (busy === undefined) break;
    // An outlier hides gaps in the rest of the log, so search again within this period.
    const main = busy.find((period) => period.requests >= BUSY_REQUESTS * periods[0].requests);
    periods = main === undefined ? busy : [main];
  }
  const seconds = sum(periods.map(periodSeconds));
  if (seconds >= span.seconds * BUSY_TIME) return undefined;
  const inside = sum(periods.map((period) => period.requests));
  const busiest = periods.reduce((a, b) => b.requests > a.requests ? b : a);
  const where = periods.length === 1 ? "" : ` (${periods.length} periods)`;
  return {
    code: "gaps",
    subject: "time span",
    message:
      `${percentText(inside, requests)} of the requests are in ${formatMs(seconds * 1_000)} of ` +
      `the log's ${formatMs(span.seconds * 1_000)}${where}, at ${
        rateText(inside / seconds)
      } req/s; ` +
      `the average over the whole span is ${rateText(requests / span.seconds)} req/s; ` +
      adviceText(busiest, profile, periods.length),
  };
}

/** Suggests the busiest period, or a `--busiest` that is not longer, so that it keeps no gap. */
function adviceText(busiest: Period, { requests }: TrafficProfile, periods: number): string {
  if (busiest.requests < BUSIEST_REQUESTS * requests) {
    const seconds = periodSeconds(busiest);
    const rounded = [3_600, 600, 60].find((length) => length <= seconds) ?? seconds;
    const length = formatMs(rounded * 1_000);
    return `the busiest of these periods has only ${percentText(busiest.requests, requests)} of ` +
      `the requests; \`--busiest ${length}\` keeps the busiest ${length}`;
  }
  const kept = periods === 1
    ? "keeps that period"
    : `keeps the busiest period, with ${percentText(busiest.requests, requests)}`;
  return `\`--since ${timeText(busiest.first)} --until ${timeText(busiest.last + 1)}\` ${kept}`;
}

function timeText(second: number): string {
  return new Date(second * 1_000).toISOString().replace(".000Z", "Z");
}

function busyPeriods(profile: TrafficProfile, within: Period): Period[] | undefined {
  const most = Math.min(MOST_BUCKETS, Math.floor(periodSeconds(within) / BUCKET_SECONDS));
  if (most < LEAST_BUCKETS || within.requests < LEAST_REQUESTS) return undefined;
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

/** `first` and `last` of a bucket are its seconds with requests, or -1. */
function toBuckets(profile: TrafficProfile, { first, last }: Period, size: number): Period[] {
  const buckets = Array.from({ length: size }, () => ({ first: -1, last: -1, requests: 0 }));
  const seconds = last - first + 1;
  profile.forEachSecond((second, requests) => {
    if (second < first || second > last) return;
    const bucket = buckets[Math.floor((second - first) * size / seconds)];
    if (bucket.requests === 0) bucket.first = second;
    bucket.last = second;
    bucket.requests += requests;
  });
  return buckets;
}

/** Flags the fewest buckets with 90% of the requests, if they are below 10%, and their edges. */
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
