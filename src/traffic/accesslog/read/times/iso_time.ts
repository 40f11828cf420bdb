import { SPACE } from "../../../../base/ascii.ts";
import { DateClockReader } from "./zoned_time.ts";
import * as notation from "./notation.ts";
import * as parts from "./time_parts.ts";

// Copied into module-local constants, because V8 inlines only such constants.
const { CLOCK_BYTES, DATE_BYTES } = notation;
const LETTER_T = 0x54;

/**
 * Timestamps such as `2026-11-21T10:00:00.123Z`. They may have a space instead of `T`, slashes in
 * the date, a different zone or no zone.
 */
export const iso: notation.Notation = {
  sample: "2026-11-21T10:00:00.123Z",
  characters: /[\w:.,+-]/,
  layouts: /^%Y([-/])%m\1%d[T ]%H:%M:%S(?:[.,]%f)?(?: ?%z)?$/,
  counted: { clockAt: DATE_BYTES + 1, isDateSeparate: false, hasFraction: true },
  reader: () => new IsoTimeReader(),
};

class IsoTimeReader implements notation.TimeReader {
  hasZone = true;
  readonly #utc = new DateClockReader();

  read(view: DataView, bytes: Uint8Array, from: number, to: number): number {
    const separator = bytes[from + DATE_BYTES];
    const isLong = to - from > DATE_BYTES + CLOCK_BYTES;
    if (!isLong || (separator !== LETTER_T && separator !== SPACE)) return -1;
    const clock = from + DATE_BYTES + 1;
    const zone = parts.findFractionEnd(bytes, clock + CLOCK_BYTES, to);
    this.hasZone = zone < to;
    const ms = this.#utc.read(view, bytes, from, clock, zone);
    return parts.subtractOffset(ms, parts.parseZone(bytes, zone, to));
  }
}
