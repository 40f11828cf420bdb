/** Fields of a request that a line can contain. */
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
] as const;

/**
 * - `time`: the timestamp, or only the time of day if the line also has `date`
 * - `request`: `METHOD target HTTP/x.y`; otherwise `method`, and `target` or `path` and `query`
 * - `duration`: the duration of the request, or its first part (`duration2` and `duration3` are added)
 * - `forwarded`: the client according to a proxy; in a list, the first address
 */
export type LogField = typeof FIELDS[number];

/** Index of each field in `Spans`. */
export const FIELD_INDEX: Readonly<Record<LogField, number>> = Object.fromEntries(
  FIELDS.map((field, i) => [field, i]),
) as Record<LogField, number>;

/** Rounded up to a multiple of four, because `clear` handles four fields at a time. */
const COUNT = Math.ceil(FIELDS.length / 4) * 4;

/** Offsets of the fields in a line; one instance is reused for all lines. */
export class Spans {
  /** Start of each field, by `FIELD_INDEX`; -1 if the line does not have it. */
  readonly from: Int32Array = new Int32Array(COUNT).fill(-1);
  /** End of each field; valid only if the line has it. */
  readonly to: Int32Array = new Int32Array(COUNT);

  /** Records the offsets of a field. */
  set(field: number, from: number, to: number): void {
    this.from[field] = from;
    this.to[field] = to;
  }

  /** Records the offsets of a field unless it is already set or its index is negative. */
  setIfAbsent(field: number, from: number, to: number): void {
    if (field >= 0 && this.from[field] < 0) this.set(field, from, to);
  }

  /** Removes all fields. */
  clear(): void {
    const { from } = this;
    // For this few elements, an unrolled loop is faster than `fill`.
    for (let i = 0; i < COUNT; i += 4) {
      from[i] = -1;
      from[i + 1] = -1;
      from[i + 2] = -1;
      from[i + 3] = -1;
    }
  }
}
