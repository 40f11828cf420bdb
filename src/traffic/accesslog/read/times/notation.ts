/** Length of `hh:mm:ss` in bytes. */
export const CLOCK_BYTES: number = "10:00:00".length;
/** Length of `2026-11-21` in bytes. */
export const DATE_BYTES: number = "2026-11-21".length;

/**
 * A timestamp notation. The time reader, the line counter and `%{…}t` layouts all derive from it.
 */
export interface Notation {
  /** Example of a timestamp in this notation. */
  readonly sample: string;
  /**
   * Matches the characters that can occur in a timestamp. The delimiter after a timestamp must not
   * start with any of them.
   */
  readonly characters: RegExp;
  /** Matches the expanded strftime layouts that this notation covers; absent if it covers none. */
  readonly layouts?: RegExp;
  /** What the line counter must know to read a timestamp; absent if it cannot read the notation. */
  readonly counted?: CountedText | "epoch";
  /**
   * Creates a reader of timestamps. `layout` is an expanded strftime layout, which only the
   * notation named `layout` uses.
   */
  reader(layout: string): TimeReader;
}

/**
 * Describes timestamps that the line counter reads as a date, a time of day `hh:mm:ss` and a zone.
 * The counter compares the date and the zone of each line, as text, with those of the day that it
 * is counting.
 */
export interface CountedText {
  /** Byte offset of the time of day in a timestamp. */
  readonly clockAt: number;
  /** True if the date is in a separate field, in the form `2026-11-21`. */
  readonly isDateSeparate: boolean;
  /**
   * True if the line counter reads fractional seconds after the time of day. `characters` must then
   * contain `.` and `,`, so that a delimiter cannot be mistaken for a fraction.
   */
  readonly hasFraction: boolean;
}

/** Reads timestamps in one notation. */
export interface TimeReader {
  /**
   * True if the last timestamp that `read` parsed contains its zone or its notation implies UTC.
   */
  readonly hasZone: boolean;
  /**
   * Parses the timestamp in `bytes[from, to)`. Returns Unix milliseconds, or -1 if the timestamp is
   * invalid or before 1970. For the `clock` notation, `date` is the offset of the date, which is in
   * a separate field. Other notations ignore `date`. `view` must cover the same memory as `bytes`.
   */
  read(view: DataView, bytes: Uint8Array, from: number, to: number, date: number): number;
}
