/** Names of the fields that a log line can contain. */
export const FIELDS = [
  "client",
  "time",
  "date",
  "request",
  "method",
  "target",
  "path",
  "query",
  "status",
  "bytes",
  "duration",
  "duration2",
  "duration3",
  "referer",
  "agent",
  "host",
  "forwarded",
  "logger",
  "code",
] as const;

/**
 * Name of a field in a log line:
 *
 * - `time`: the timestamp, or only the time of day if the line also has `date`
 * - `request`: the request line `METHOD target HTTP/x.y`; formats without it have `method` and
 *   either `target`, or `path` and `query`
 * - `duration`: the duration of the request; if the line has `duration2` or `duration3`, the
 *   duration is the sum of these fields
 * - `forwarded`: the client's address according to a proxy; if it is a list, the first address
 *   counts
 * - `logger`: the name of Caddy's logger; only `http.log.access` and its children log requests
 * - `code`: the status, or, if the line also has `status`, another code, such as Heroku's `H12`
 */
export type LogField = typeof FIELDS[number];

/** Index of each field in the arrays of `Spans`. */
export const FIELD_INDEX: Readonly<Record<LogField, number>> = Object.fromEntries(
  FIELDS.map((field, i) => [field, i]),
) as Record<LogField, number>;

/**
 * Number of fields, rounded up to a multiple of four, because `clear` resets four fields at a time.
 */
const COUNT = Math.ceil(FIELDS.length / 4) * 4;

/** Start and end offsets of the fields in a line. One instance is reused for all lines. */
export class Spans {
  /** Start offset of each field by `FIELD_INDEX`; -1 if the line does not have the field. */
  readonly from: Int32Array = new Int32Array(COUNT).fill(-1);
  /** End offset of each field by `FIELD_INDEX`; valid only if the start offset is not -1. */
  readonly to: Int32Array = new Int32Array(COUNT);

  /** Records the offsets `[from, to)` of the field with this index. */
  set(field: number, from: number, to: number): void {
    this.from[field] = from;
    this.to[field] = to;
  }

  /**
   * Records the offsets `[from, to)` of the field with this index, unless the field already has
   * offsets or the index is negative.
   */
  setIfAbsent(field: number, from: number, to: number): void {
    if (field >= 0 && this.from[field] < 0) this.set(field, from, to);
  }

  /** Marks all fields as absent. */
  clear(): void {
    const { from } = this;
    // An unrolled loop is faster than `fill` for so few elements. bench:
    // scripts/bench/accesslog.ts.
    for (let i = 0; i < COUNT; i += 4) {
      from[i] = -1;
      from[i + 1] = -1;
      from[i + 2] = -1;
      from[i + 3] = -1;
    }
  }
}
