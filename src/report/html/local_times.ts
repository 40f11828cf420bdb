/** Names of the weekdays, starting with Monday. */
export const WEEKDAYS = [
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
  "Sunday",
] as const;

/**
 * Length of a quarter-hour in seconds. Apart from rare historical exceptions, time zones change
 * their UTC offset only at the start of a quarter-hour.
 */
const QUARTER_SECONDS = 900;
const DAY_SECONDS = 86_400;
/** Weekday of 1970-01-01, a Thursday (0 is Monday). */
const FIRST_WEEKDAY = 3;

/** Formats Unix times in a time zone. */
export class LocalTimes {
  /** Name of the zone, such as `UTC`, `+02:00` or `Europe/Berlin`. */
  readonly zone: string;
  readonly #offsets = new Map<number, number>();

  /** Creates a formatter for a zone that `parseTimeZone` returned. */
  constructor(zone: string) {
    this.zone = zone;
  }

  /** Formats a Unix second, such as `2026-11-21 12:00:00 +02:00`. */
  text(second: number): string {
    const local = new Date((second + this.#offset(second)) * 1_000).toISOString();
    return `${local.slice(0, 10)} ${local.slice(11, 19)} ${this.zone}`;
  }

  /** Returns the weekday (0 is Monday) and the hour of a Unix second. */
  weekHour(second: number): { weekday: number; hour: number } {
    const local = second + this.#offset(second);
    const day = Math.floor(local / DAY_SECONDS);
    return {
      weekday: (day + FIRST_WEEKDAY) % WEEKDAYS.length,
      hour: Math.floor((local - day * DAY_SECONDS) / 3_600),
    };
  }

  /** Returns the UTC offset at a Unix second, in seconds. */
  #offset(second: number): number {
    if (this.zone === "UTC") return 0;
    const quarter = Math.floor(second / QUARTER_SECONDS);
    let offset = this.#offsets.get(quarter);
    if (offset === undefined) {
      const instant = Temporal.Instant.fromEpochMilliseconds(quarter * QUARTER_SECONDS * 1_000);
      offset = instant.toZonedDateTimeISO(this.zone).offsetNanoseconds / 1e9;
      this.#offsets.set(quarter, offset);
    }
    return offset;
  }
}
