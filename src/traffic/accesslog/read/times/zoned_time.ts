import type { TimeReader } from "./notation.ts";

/**
 * Length of a quarter-hour in milliseconds. In every time zone, local times within the same
 * quarter-hour have the same UTC offset.
 */
const QUARTER_MS = 900_000;

/**
 * Reads timestamps, and interprets those without a zone as local times in a time zone. A local time
 * that daylight saving time skips is read as if the clock had not changed. A local time that occurs
 * twice is read as the first of the two.
 */
export class ZonedTimeReader implements TimeReader {
  readonly #reader: TimeReader;
  readonly #zone: string;
  // Cache of the last quarter of an hour and its UTC offset in milliseconds.
  #quarter = NaN;
  #offset = 0;

  /** Wraps `reader`. `zone` is a result of `parseTimeZone`. */
  constructor(reader: TimeReader, zone: string) {
    this.#reader = reader;
    this.#zone = zone;
  }

  /** Always true: the zone of every timestamp is known. */
  get hasZone(): boolean {
    return true;
  }

  read(view: DataView, bytes: Uint8Array, from: number, to: number, date: number): number {
    const ms = this.#reader.read(view, bytes, from, to, date);
    if (ms < 0 || this.#reader.hasZone) return ms;
    const quarter = Math.floor(ms / QUARTER_MS);
    if (quarter !== this.#quarter) {
      this.#quarter = quarter;
      this.#offset = localOffset(quarter * QUARTER_MS, this.#zone);
    }
    return Math.max(-1, ms - this.#offset);
  }
}

/**
 * Parses the name of a time zone, such as `Europe/Berlin`, or a UTC offset, such as `+02:00` or
 * `-0500`. Returns a name for `ZonedTimeReader`, or undefined if there is no such zone.
 */
export function parseTimeZone(text: string): string | undefined {
  const zone = text === "Z"
    ? "UTC"
    : text.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = "00") => `${hours}:${minutes}`);
  try {
    return new Temporal.ZonedDateTime(0n, zone).timeZoneId;
  } catch {
    return undefined;
  }
}

/**
 * Returns the UTC offset of a zone at a local time, in milliseconds. `localMs` is the Unix time
 * that the local time would have if it were in UTC.
 */
function localOffset(localMs: number, zone: string): number {
  const local = Temporal.Instant.fromEpochMilliseconds(localMs).toZonedDateTimeISO("UTC")
    .toPlainDateTime();
  return localMs - local.toZonedDateTime(zone).epochMilliseconds;
}
