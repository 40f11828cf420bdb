import * as ascii from "../../base/ascii.ts";
import { CHUNK_BYTES } from "../../base/bytes/byte_source.ts";
import { COUNT_ONLY, type RequestUse } from "./collect/collector.ts";
import { LineCounter } from "./count/line_counter.ts";
import type { Tally } from "./profile/traffic_profile.ts";
import { MAX_LINE_BYTES, SLACK } from "./read/field_text.ts";
import type { LineShape, LogFormat, MalformedReason } from "./read/log_format.ts";
import { RequestReader } from "./read/request_reader.ts";

const { LF } = ascii;

/** One more than the maximum length of a line, so that the sink can detect an overlong line. */
const MAX_REST = MAX_LINE_BYTES + 1;

/** `base` is the log offset of byte 0. `SLACK` bytes after `to` are readable. */
type LinesSink = (
  bytes: Uint8Array,
  view: DataView,
  from: number,
  to: number,
  base: number,
) => void;

/**
 * Splits the chunks of a log into whole lines and passes them to a sink. `SLACK` bytes after the
 * last line are readable.
 *
 * Lines within a chunk that end at least `SLACK` bytes before its end are passed on without a copy.
 * All other lines are copied to the carry-over buffer (`rest`), one at a time:
 *
 * ```
 * chunk  | end of a line LF | line LF … line LF |          line LF   start of |
 *        |  previous rest   |  passed on as is  |  (LF in the last    a line  |
 *        |                  |                   |   SLACK bytes)              |
 *                 |                                       |              |
 *                 v                                       v              v
 * rest   | start of a line, end of a line LF |        | line LF |   | start of a line …
 *        |<------ at most 1 MiB + LF ------->| SLACK |
 * ```
 *
 * A line over 1 MiB is truncated to 1 MiB + 1 byte and its LF, so that the sink can detect it.
 */
export class WholeLines {
  readonly #sink: LinesSink;
  #offset = 0;
  readonly #rest = new Uint8Array(MAX_REST + 1 + SLACK);
  readonly #restView = new DataView(this.#rest.buffer);
  #restLength = 0;

  constructor(sink: LinesSink) {
    this.#sink = sink;
  }

  /** The next chunk is at `offset`, the beginning of a line. */
  start(offset: number): void {
    this.#offset = offset;
  }

  /** Buffers an incomplete last line until the next call. */
  push(chunk: Uint8Array): void {
    const from = this.#restLength > 0 ? this.#completeLine(chunk) : 0;
    const to = Math.max(from, lastLineEnd(chunk));
    if (to > from) {
      const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      this.#sink(chunk, view, from, to, this.#offset);
    }
    this.#takeLast(chunk, to);
    this.#offset += chunk.length;
  }

  /** Adds an LF to the last line if it has none. */
  finish(): void {
    if (this.#restLength > 0) this.#endRest();
  }

  /** Ends the line in the carry-over buffer. Returns the start of the next, or 0 without an LF. */
  #completeLine(chunk: Uint8Array): number {
    const end = chunk.indexOf(LF) + 1;
    if (end === 0) return 0;
    this.#keep(chunk.subarray(0, end));
    this.#endRest(end);
    return end;
  }

  /** Copies the last lines, because fewer than `SLACK` bytes follow them in the chunk. */
  #takeLast(chunk: Uint8Array, from: number): void {
    let start = from;
    for (let end; (end = chunk.indexOf(LF, start) + 1) > 0; start = end) {
      this.#keep(chunk.subarray(start, end));
      this.#endRest(end);
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(bytes: Uint8Array): void {
    const room = MAX_REST - this.#restLength;
    if (room > 0) this.#rest.set(bytes.subarray(0, room), this.#restLength);
    this.#restLength += bytes.length;
  }

  /** `taken` is how much of the line was copied from the current chunk. */
  #endRest(taken = 0): void {
    const base = this.#offset + taken - this.#restLength;
    let length = Math.min(this.#restLength, MAX_REST);
    if (this.#rest[length - 1] !== LF) this.#rest[length++] = LF;
    this.#restLength = 0;
    this.#sink(this.#rest, this.#restView, 0, length, base);
  }
}

/** End of the last line that is followed by `SLACK` bytes, or 0. */
function lastLineEnd(chunk: Uint8Array): number {
  const last = chunk.length - 1 - SLACK;
  return last < 0 ? 0 : chunk.lastIndexOf(LF, last) + 1;
}

const SNIPPET_BYTES = 4 * 1024;
/** Lines of a chunk that the `LineCounter` may reject in excess of those it counts. */
const MAX_IRREGULAR_LEAD = 64;

/**
 * Adds the lines of a log to a tally. Lines end with LF or CR LF, the last one perhaps with
 * nothing. Blank lines affect only line numbers. A `LineCounter` counts the lines that it supports,
 * and a `RequestReader` parses all others, with the same result.
 */
export class LogScanner {
  readonly #tally: Tally;
  readonly #format: LogFormat;
  readonly #reader: RequestReader;
  readonly #use: RequestUse;
  readonly #counter: LineCounter | undefined;
  readonly #input = new WholeLines((bytes, view, from, to, base) =>
    this.#scanLines(bytes, view, from, to, base)
  );
  #shape: LineShape | undefined;
  #isCountable = false;
  #buffer: Uint8Array<ArrayBuffer> | undefined;
  #wasRequest = false;
  #lines = 0;

  constructor(tally: Tally, format: LogFormat, use: RequestUse = COUNT_ONLY) {
    this.#tally = tally;
    this.#format = format;
    this.#reader = new RequestReader(format);
    this.#use = use;
    if (this.#reader.shape !== undefined) this.#counter = new LineCounter(tally, use);
    this.#updateLayout();
  }

  /** A chunk at the start of this buffer needs no copy. bench: scripts/bench/accesslog.ts */
  get buffer(): Uint8Array<ArrayBuffer> {
    return this.#buffer ??= this.#counter?.chunk ?? new Uint8Array(CHUNK_BYTES);
  }

  /** The next chunk is at `offset`, the beginning of a line, after `lines` lines. */
  start(offset: number, lines: number): void {
    this.#input.start(offset);
    this.#lines = lines;
  }

  /** The last line may continue in the next chunk. Throws `InputError` for too many endpoints. */
  scan(chunk: Uint8Array): void {
    this.#input.push(chunk);
  }

  /** Returns the total number of lines. Call `start` before you scan more. */
  endLine(): number {
    this.#input.finish();
    return this.#lines;
  }

  /** Adds outstanding counts. Returns the number of lines. Throws `InputError`. */
  finish(): number {
    this.endLine();
    this.#counter?.finish();
    return this.#lines;
  }

  #scanLines(bytes: Uint8Array, view: DataView, from: number, to: number, base: number): void {
    for (let at = from; at < to;) {
      const loaded = this.#isCountable ? this.#counter!.load(bytes, at, to) : at;
      at = loaded > at
        ? this.#countLines(bytes, view, at, loaded, base)
        : this.#readLine(bytes, view, at, base);
    }
  }

  /** Parses each line that the `LineCounter` rejects. The lines must be loaded. Returns `to`. */
  #countLines(bytes: Uint8Array, view: DataView, from: number, to: number, base: number): number {
    const counter = this.#counter!;
    let left = 0;
    let at = from;
    for (let counted = 0; this.#isCountable && left <= counted + MAX_IRREGULAR_LEAD;) {
      at = counter.count(at, to, base);
      const lines = counter.takeLines();
      counted += lines;
      this.#lines += lines;
      if (at === to) return to;
      at = this.#readLine(bytes, view, at, base);
      if (this.#wasRequest) this.#updateDay();
      left++;
    }
    while (at < to) at = this.#readLine(bytes, view, at, base);
    return to;
  }

  /** Returns the offset of the next line. */
  #readLine(bytes: Uint8Array, view: DataView, start: number, base: number): number {
    const end = bytes.indexOf(LF, start);
    this.#lines++;
    const found = this.#reader.read(bytes, view, start, end);
    this.#wasRequest = found === undefined;
    if (found === undefined) this.#request(base, start);
    else if (found === "ignored") this.#updateLayout();
    else this.#malformed(found, bytes, start, end, base + start);
    return end + 1;
  }

  #request(base: number, at: number): void {
    const { request } = this.#reader;
    for (const filter of this.#use.filters) {
      if (filter.keeps(request)) continue;
      filter.dropped++;
      return;
    }
    // The counter does not set this flag. It counts lines without a zone only after this reader has
    // read such a line of the same day.
    if (!request.hasZone) this.#tally.withoutZone = true;
    request.offset = base + at;
    this.#tally.count(request.second, request.key, request.offset);
    for (const collector of this.#use.collectors) collector.add(request);
  }

  #updateLayout(): void {
    const { shape } = this.#reader;
    if (this.#counter === undefined || shape === this.#shape) return;
    this.#shape = shape;
    this.#isCountable = this.#counter.setLayout(shape, this.#format.time);
  }

  #updateDay(): void {
    const { bytes, spans, second } = this.#reader.request;
    this.#counter!.setDay(bytes, spans, second);
  }

  #malformed(
    reason: MalformedReason,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
  ): void {
    this.#tally.countMalformed(reason, offset, this.#lines, () => {
      const head = bytes.slice(start, Math.min(end, start + SNIPPET_BYTES));
      return new TextDecoder().decode(head).replace(/\r$/, "");
    });
  }
}
