import { formatMs, formatThousands, percentText, plural } from "../../base/format.ts";
import {
  busiestWindow,
  type TimeSpan,
  type TrafficProfile,
} from "../../traffic/accesslog/profile/traffic_profile.ts";
import { type Note, rateText } from "../notes/notes.ts";

export interface ReadingFacts {
  readonly profile: TrafficProfile;
  readonly filters: readonly FilterCount[];
}

export interface FilterCount {
  readonly option: string;
  /** Requests that this option excluded, without those that an earlier one did. */
  readonly dropped: number;
  /** The requests that are kept, unless the option describes them. */
  readonly kept?: string;
}

/** Notes on the log itself, such as gaps and malformed lines. */
export function readingNotes(facts: ReadingFacts): Note[] {
  const { profile } = facts;
  const span = profile.span();
  return [
    span && gaps(profile, span),
    ...filtered(facts),
    withoutZone(facts),
    malformed(facts),
  ].filter((note) => note !== undefined);
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
  return {
    code: "malformed-lines",
    subject: "malformed lines",
    message: `skipped ${plural(profile.malformed, "line")} that could not be parsed ` +
      `(${lines.join("; ")})`,
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
/** Pauses between bursts of each minute are not gaps. */
const BUCKET_SECONDS = 60;
const REQUESTS_PER_BUCKET = 10;
const LEAST_REQUESTS = 10;
/** Time spans that are too short for this many buckets have no gaps. */
const LEAST_BUCKETS = 50;
const MOST_BUCKETS = 1_000;

/**
 * Warns if 90% of the requests are in less than 10% of the time span: a gap or an outlier makes the
 * average rate meaningless. Suggests `--busiest`.
 */
function gaps(profile: TrafficProfile, { first, seconds }: TimeSpan): Note | undefined {
  const { requests } = profile;
  const most = Math.min(MOST_BUCKETS, Math.floor(seconds / BUCKET_SECONDS));
  if (most < LEAST_BUCKETS || requests < LEAST_REQUESTS) return undefined;
  const size = Math.min(most, Math.max(LEAST_BUCKETS, Math.floor(requests / REQUESTS_PER_BUCKET)));
  const buckets = new Float64Array(size);
  profile.forEachSecond((second, count) => {
    buckets[Math.floor((second - first) * size / seconds)] += count;
  });
  buckets.sort().reverse();
  let [inside, busy] = [0, 0];
  while (inside < BUSY_REQUESTS * requests) inside += buckets[busy++];
  if (busy >= size * BUSY_TIME) return undefined;
  const busySeconds = busy * seconds / size;
  const kept = [3_600, 600].find((length) => length <= busySeconds) ?? 60;
  const [length, share] = [formatMs(kept * 1_000), busiestWindow(profile, kept)!.requests];
  return {
    code: "gaps",
    subject: "time span",
    message: `${percentText(inside, requests)} of the requests are in ` +
      `${formatMs(busySeconds * 1_000)} of the log's ${formatMs(seconds * 1_000)}; the average ` +
      `over the whole span is ${rateText(requests / seconds)} req/s; \`--busiest ${length}\` ` +
      `keeps the busiest ${length}, with ${percentText(share, requests)} of the requests`,
  };
}
