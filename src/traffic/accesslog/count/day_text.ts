import * as ascii from "../../../base/ascii.ts";
import { FIELD_INDEX, type Spans } from "../read/log_fields.ts";
import * as parts from "../read/times/time_parts.ts";
import { CLOCK_BYTES, type CountedText, DATE_BYTES } from "../read/times/notation.ts";

const { SPACE } = ascii;
const DAY_SECONDS = 86_400;
/**
 * Minimum time, in seconds, between the start of a day and either limit of unsigned 32-bit Unix
 * seconds. It is longer than any UTC offset.
 */
const MARGIN_SECONDS = 2 * DAY_SECONDS;

/** Text that identifies a day in a log: the date before the time of day, and the zone after it. */
export interface DayText {
  readonly date: Uint8Array;
  readonly zone: Uint8Array;
  /** Start of the day (midnight in the zone of the timestamps), in Unix seconds. */
  readonly start: number;
}

/** Byte offsets of the parts of a timestamp. */
interface TimestampOffsets {
  readonly date: readonly [from: number, to: number];
  /** Byte offset at which the time of day (`hh:mm:ss`) starts. */
  readonly clock: number;
  readonly zone: readonly [from: number, to: number];
}

/**
 * Returns the day of a line. `spans` contains the offsets of the line's fields in `bytes`. `second`
 * is its parsed timestamp in Unix seconds. Returns undefined if the counter cannot read the
 * timestamp, or if the day is within two days of a limit of unsigned 32-bit Unix seconds.
 */
export function readDayText(
  bytes: Uint8Array,
  spans: Spans,
  notation: CountedText,
  second: number,
): DayText | undefined {
  const found = findParts(bytes, spans, notation);
  if (found === undefined) return undefined;
  const { date, clock, zone } = found;
  const inMinute = parts.parseTwoDigits(bytes, clock + CLOCK_BYTES - 2);
  const start = second - parts.parseMinutes(bytes, clock) * 60 - inMinute;
  if (start < MARGIN_SECONDS || start > 2 ** 32 - MARGIN_SECONDS) return undefined;
  return { date: bytes.slice(...date), zone: bytes.slice(...zone), start };
}

function findParts(
  bytes: Uint8Array,
  spans: Spans,
  notation: CountedText,
): TimestampOffsets | undefined {
  const time = spans.from[FIELD_INDEX.time];
  const end = spans.to[FIELD_INDEX.time];
  const clock = time + notation.clockAt;
  const clockEnd = clock + CLOCK_BYTES;
  const fractionEnd = parts.findFractionEnd(bytes, clockEnd, end);
  if (fractionEnd > clockEnd && !notation.hasFraction) return undefined;
  if (notation.isDateSeparate) {
    const date = spans.from[FIELD_INDEX.date];
    return { date: [date, date + DATE_BYTES], clock, zone: [end, end] };
  }
  // If a space precedes the zone, the counter would treat the timestamp as one without a zone.
  if (fractionEnd === end && bytes[end] === SPACE) return undefined;
  return { date: [time, clock], clock, zone: [fractionEnd, end] };
}
