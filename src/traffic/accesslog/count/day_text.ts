import { SPACE } from "../../../base/ascii.ts";
import { FIELD_INDEX, type Spans } from "../read/log_fields.ts";
import type { TimeNotation } from "../read/times/time_reader.ts";
import { TimestampReader } from "../read/times/timestamp.ts";

const DAY_SECONDS = 86_400;
/** More than any offset from UTC, so that seconds stay within 32 bits. */
const MARGIN_SECONDS = 2 * DAY_SECONDS;
const CLF_DATE = "21/Nov/2026:".length;
const ISO_DATE = "2026-11-21T".length;
const CLOCK = "10:00:00".length;

/** The text of a day in a log: the date before the time of day, and the zone after it. */
export interface DayText {
  readonly date: Uint8Array;
  readonly zone: Uint8Array;
  /** Midnight of that day in that zone, in Unix seconds. */
  readonly start: number;
}

/**
 * Returns the day of a line whose fields are in `spans` and whose timestamp was parsed as `second`.
 * Returns undefined if the counter cannot read this timestamp, or it is close to the limits of 32 bits.
 */
export function readDayText(
  bytes: Uint8Array,
  spans: Spans,
  notation: TimeNotation,
  second: number,
): DayText | undefined {
  const time = spans.from[FIELD_INDEX.time];
  const { date, clock, zone } = fieldOffsets(bytes, spans, notation, time);
  if (clock < 0) return undefined;
  const start = second - secondsAt(bytes, clock);
  if (start < MARGIN_SECONDS || start > 2 ** 32 - MARGIN_SECONDS) return undefined;
  return {
    date: bytes.slice(...date),
    zone: bytes.slice(...zone),
    start,
  };
}

/** Offsets of the parts of a timestamp. */
interface TimestampOffsets {
  readonly date: readonly [from: number, to: number];
  /** Start of the time of day; -1 if the timestamp is unsupported. */
  readonly clock: number;
  readonly zone: readonly [from: number, to: number];
}

const UNSUPPORTED: TimestampOffsets = { date: [0, 0], clock: -1, zone: [0, 0] };

function fieldOffsets(
  bytes: Uint8Array,
  spans: Spans,
  notation: TimeNotation,
  time: number,
): TimestampOffsets {
  const end = spans.to[FIELD_INDEX.time];
  switch (notation) {
    case "clf": {
      const clock = time + CLF_DATE;
      // The counter reads only timestamps of this length.
      if (end - time !== TimestampReader.LENGTH) return UNSUPPORTED;
      return { date: [time, clock], clock, zone: [clock + CLOCK, end] };
    }
    case "iso": {
      const clock = time + ISO_DATE;
      const zone = decimalsEnd(bytes, clock + CLOCK);
      // The counter would read a timestamp with a space before its zone as one without a zone.
      if (zone === end && bytes[end] === SPACE) return UNSUPPORTED;
      return { date: [time, clock], clock, zone: [zone, end] };
    }
    case "clock": {
      const date = spans.from[FIELD_INDEX.date];
      return { date: [date, date + ISO_DATE - 1], clock: time, zone: [end, end] };
    }
    default:
      return UNSUPPORTED;
  }
}

/** Returns the end of a fraction such as `.123` at `at`, or `at` if there is none. */
function decimalsEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0x2e && bytes[at] !== 0x2c) return at;
  let end = at + 1;
  while (bytes[end] >= 0x30 && bytes[end] <= 0x39) end++;
  return end;
}

/** Parses `hh:mm:ss` at `at` as seconds of the day. */
function secondsAt(bytes: Uint8Array, at: number): number {
  const number = (i: number) => (bytes[i] - 0x30) * 10 + bytes[i + 1] - 0x30;
  return number(at) * 3_600 + number(at + 3) * 60 + number(at + 6);
}
