/** What a line can tell of a request. */
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
 * - `time`: the moment, or the time of day when `date` is there too
 * - `request`: `METHOD target HTTP/x.y`; else `method`, and `target` or `path` and `query`
 * - `duration`: how long it took; with `duration2` and `duration3`, their sum
 * - `forwarded`: the client as a proxy names it, perhaps a list of which it is the first
 */
export type LogField = typeof FIELDS[number];

/** Each field's place in `Spans`. */
export const FIELD_INDEX: Readonly<Record<LogField, number>> = Object.fromEntries(
  FIELDS.map((field, i) => [field, i]),
) as Record<LogField, number>;

/** A multiple of four: they are cleared so many at a time. */
const COUNT = Math.ceil(FIELDS.length / 4) * 4;

/** Where in a line its fields stand; used again for every line. */
export class Spans {
  /** Where a field starts, by `FIELD_INDEX`; -1 when the line does not have it. */
  readonly from: Int32Array = new Int32Array(COUNT).fill(-1);
  /** Where it ends. */
  readonly to: Int32Array = new Int32Array(COUNT);

  /** Notes where a field stands. */
  set(field: number, from: number, to: number): void {
    this.from[field] = from;
    this.to[field] = to;
  }

  /** The same for a field that was not met before; none has a number below 0. */
  note(field: number, from: number, to: number): void {
    if (field >= 0 && this.from[field] < 0) this.set(field, from, to);
  }

  /** Forgets the last line. */
  clear(): void {
    const { from } = this;
    // So few are set quicker here, four at a time, than by `fill`.
    for (let i = 0; i < COUNT; i += 4) {
      from[i] = -1;
      from[i + 1] = -1;
      from[i + 2] = -1;
      from[i + 3] = -1;
    }
  }
}
