import { DateClockReader } from "./zoned_time.ts";
import { CLOCK_BYTES, DATE_BYTES, type Notation, type TimeReader } from "./notation.ts";

/**
 * Timestamps such as `10:00:00` in UTC, with the date (such as `2026-11-21`) in a separate field.
 * They may have fractional seconds.
 */
export const clock: Notation = {
  sample: "10:00:00",
  characters: /[\d:.,]/,
  counted: { clockAt: 0, isDateSeparate: true, hasFraction: true },
  reader: () => new ClockTimeReader(),
};

class ClockTimeReader implements TimeReader {
  readonly hasZone = true;
  readonly #utc = new DateClockReader();

  read(view: DataView, bytes: Uint8Array, from: number, to: number, date: number): number {
    const isThere = date >= 0 && date + DATE_BYTES <= bytes.length && to - from >= CLOCK_BYTES;
    return isThere ? this.#utc.read(view, bytes, date, from, to) : -1;
  }
}
