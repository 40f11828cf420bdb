import { formatThousands, percentText, plural } from "../../base/format.ts";
import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import type { Note } from "../notes/notes.ts";
import { gaps, timeText } from "./gaps.ts";

/** The data for the notes on the log itself. These notes do not depend on the plan. */
export interface ReadingFacts {
  readonly profile: TrafficProfile;
  readonly filters: readonly FilterCount[];
  /**
   * Current time in Unix milliseconds, or undefined to skip the check for timestamps in the future.
   */
  readonly now: number | undefined;
  /** Time zone of timestamps without a zone, if the user gave one. */
  readonly timeZone?: string;
}

/** A filter option, and the number of requests that it excluded. */
export interface FilterCount {
  /** The option, such as `--since`. */
  readonly option: string;
  /**
   * Number of requests that this option excluded. A request excluded by several options is counted
   * only for the first of them.
   */
  readonly dropped: number;
  /**
   * Description of the requests that the filter keeps. Absent if the option itself describes them.
   */
  readonly kept?: string;
}

/**
 * Returns the notes on the log itself, such as gaps, odd timestamps, and excluded or malformed
 * lines.
 */
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

/**
 * Returns a warning if the log contains the hour that occurs twice when daylight saving time ends.
 * Its local times are read as those of the first of the two hours, so the second one is empty.
 */
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

/** Earliest plausible time in Unix seconds: 1990-01-01T00:00:00Z, before the first web server. */
const EARLIEST = 631_152_000;
/** Maximum difference, in seconds, tolerated between the clocks of the server and this machine. */
const TOLERANCE_SECONDS = 300;

/**
 * Returns a warning if requests are dated before 1990 or more than 5 minutes after `now` (Unix
 * milliseconds), or undefined otherwise. If `now` is omitted, the check for the future is skipped.
 */
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
  const found = [
    ...(firstPast === undefined ? [] : [dated(past, "before 1990", firstPast)]),
    ...(firstFuture === undefined ? [] : [dated(future, "in the future", firstFuture)]),
  ];
  if (found.length === 0) return undefined;
  return {
    code: "odd-times",
    subject: "timestamps",
    message: `${found.join(", and ")}; check the clock and the time zone of the server, or ` +
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

/**
 * Formats at most the first 80 characters of a recorded line as a JSON string, to escape control
 * characters.
 */
function sampleText(line = ""): string {
  const start = [...line].slice(0, SAMPLE_CHARACTERS).join("");
  return JSON.stringify(start === line ? line : `${start}…`);
}

/** Returns a warning that the user gave the same file twice: first as `first`, then as `name`. */
export function repeatedInput(name: string, first: string): Note {
  return {
    code: "same-file",
    subject: name,
    message: name === first
      ? "the file was given twice; it is read once"
      : `the same file was also given as \`${first}\`; it is read once`,
  };
}
