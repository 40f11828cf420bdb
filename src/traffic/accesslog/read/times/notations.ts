/** A timestamp notation, as used by the TypeScript time reader and by the line counter. */
export interface Notation {
  /** Example of a timestamp in this notation. */
  readonly sample: string;
  /** Byte offset of the time of day `hh:mm:ss` in a timestamp; -1 if its position varies. */
  readonly clockAt: number;
  /**
   * Code of the notation in the line counter (count/assembly); -1 if the counter cannot read it.
   * scripts/assembly.ts generates the counter's constants from this table.
   */
  readonly code: number;
  /**
   * Matches the characters that can occur in a timestamp. The delimiter after a timestamp must not
   * start with any of them.
   */
  readonly characters: RegExp;
  /** Matches the expanded strftime layouts that this notation covers; absent if it covers none. */
  readonly layouts?: RegExp;
}

/**
 * Notation in which a log format writes timestamps:
 *
 * - `clf`: `21/Nov/2026:10:00:00 +0000`; may have a space before the time of day, fractional
 *   seconds, another zone or no zone
 * - `iso`: `2026-11-21T10:00:00.123Z`; may have a space instead of `T`, slashes in the date,
 *   another zone or no zone
 * - `epoch`: Unix time in seconds, milliseconds (from 1e11), microseconds (from 1e14) or nanoseconds
 *   (from 1e17), with or without decimals
 * - `clock`: `10:00:00` in UTC, with the date `2026-11-21` in a separate field
 * - `layout`: an strftime layout
 *
 * A timestamp without a zone is read as UTC.
 */
export type TimeNotation = "clf" | "iso" | "epoch" | "clock" | "layout";

/** Descriptions of all timestamp notations. */
export const TIME_NOTATIONS: Readonly<Record<TimeNotation, Notation>> = {
  clf: {
    sample: "21/Nov/2026:10:00:00 +0000",
    clockAt: "21/Nov/2026:".length,
    code: 0,
    characters: /[\w/: +-]/,
    layouts: /^%d\/%b\/%Y[: ]%H:%M:%S(?:[.,]%f)?(?: ?%z)?$/,
  },
  iso: {
    sample: "2026-11-21T10:00:00.123Z",
    clockAt: "2026-11-21T".length,
    code: 1,
    characters: /[\w:.,+-]/,
    layouts: /^%Y([-/])%m\1%d[T ]%H:%M:%S(?:[.,]%f)?(?: ?%z)?$/,
  },
  epoch: {
    sample: "1795255200.123",
    clockAt: -1,
    code: 2,
    characters: /[\d.]/,
    layouts: /^%s(?:\.%f)?$/,
  },
  clock: { sample: "10:00:00", clockAt: 0, code: 3, characters: /[\d:.]/ },
  layout: { sample: "Sat Nov 21 10:00:00 2026", clockAt: -1, code: -1, characters: /[^]/ },
};

/** Length of `hh:mm:ss` in bytes. */
export const CLOCK_BYTES: number = "10:00:00".length;
/** Length of `2026-11-21` in bytes. */
export const DATE_BYTES: number = "2026-11-21".length;
/**
 * Length, in bytes, of a CLF timestamp without fractional seconds, `21/Nov/2026:10:00:00 +0000`.
 */
export const CLF_BYTES: number = TIME_NOTATIONS.clf.sample.length;

/** Smallest Unix time that is read as milliseconds. Smaller values are read as seconds. */
export const MILLISECONDS_FROM = 1e11;
/** Smallest Unix time that is read as microseconds. */
export const MICROSECONDS_FROM = 1e14;
/** Smallest Unix time that is read as nanoseconds. */
export const NANOSECONDS_FROM = 1e17;

/**
 * Returns the notation that covers an expanded strftime layout, or `layout` if no other notation
 * does.
 */
export function findNotation(layout: string): TimeNotation {
  const found = Object.entries(TIME_NOTATIONS).find(([, { layouts }]) => layouts?.test(layout));
  return (found?.[0] ?? "layout") as TimeNotation;
}
