import { FIELD_INDEX, type Spans } from "../lines/log_fields.ts";
import type { TimeNotation } from "../lines/time_reader.ts";
import { TimestampReader } from "../timestamp.ts";

const DAY_SECONDS = 86_400;
/** Offsets from UTC are shorter. */
const MARGIN_SECONDS = 2 * DAY_SECONDS;
const CLF_DATE = "21/Nov/2026:".length;
const ISO_DATE = "2026-11-21T".length;
const CLOCK = "10:00:00".length;
const SPACE = 0x20;

/** How a log writes a day: what is in front of the clock, and what is behind it. */
export interface DayText {
  readonly date: Uint8Array;
  readonly zone: Uint8Array;
  /** The second, in UTC from 1970, at which the clock of that zone shows `00:00:00` on that day. */
  readonly start: number;
}

/**
 * Returns the day of a line whose fields are in `spans` and whose timestamp was read as `second`;
 * undefined if the counter cannot read timestamps like it, or it is at the ends of 32 bits.
 */
export function dayText(
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

interface Places {
  readonly date: readonly [from: number, to: number];
  /** Where the clock starts; -1 if there is none. */
  readonly clock: number;
  readonly zone: readonly [from: number, to: number];
}

const NO_PLACES: Places = { date: [0, 0], clock: -1, zone: [0, 0] };

function fieldOffsets(
  bytes: Uint8Array,
  spans: Spans,
  notation: TimeNotation,
  time: number,
): Places {
  const end = spans.to[FIELD_INDEX.time];
  switch (notation) {
    case "clf": {
      const clock = time + CLF_DATE;
      // The counter knows timestamps of this length only.
      if (end - time !== TimestampReader.LENGTH) return NO_PLACES;
      return { date: [time, clock], clock, zone: [clock + CLOCK, end] };
    }
    case "iso": {
      const clock = time + ISO_DATE;
      const zone = decimalsEnd(bytes, clock + CLOCK);
      // The counter would take a timestamp whose zone comes after a space for one without.
      if (zone === end && bytes[end] === SPACE) return NO_PLACES;
      return { date: [time, clock], clock, zone: [zone, end] };
    }
    case "clock": {
      const date = spans.from[FIELD_INDEX.date];
      return { date: [date, date + ISO_DATE - 1], clock: time, zone: [end, end] };
    }
    default:
      return NO_PLACES;
  }
}

/** Where `.123` ends, if it stands at `at`. */
function decimalsEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0x2e && bytes[at] !== 0x2c) return at;
  let end = at + 1;
  while (bytes[end] >= 0x30 && bytes[end] <= 0x39) end++;
  return end;
}

/** Seconds of the `hh:mm:ss` that stands at `at`. */
function secondsAt(bytes: Uint8Array, at: number): number {
  const number = (i: number) => (bytes[i] - 0x30) * 10 + bytes[i + 1] - 0x30;
  return number(at) * 3_600 + number(at + 3) * 60 + number(at + 6);
}
