import * as ascii from "../../../base/ascii.ts";
import { MAX_LINE_BYTES, SLACK } from "./text/bytes.ts";

const { LF } = ascii;

/**
 * Maximum number of bytes to buffer for a line. It is one more than the maximum length of a line,
 * so that the sink can detect an overlong line.
 */
const MAX_REST = MAX_LINE_BYTES + 1;

/**
 * Callback that receives the lines in `bytes[from, to)`, each with its LF. `base` is the log offset
 * of byte 0. `SLACK` bytes after `to` are readable.
 */
export type LinesSink = (
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
  /** Byte offset of the next chunk in the log. */
  #offset = 0;
  /**
   * Carry-over buffer for an incomplete line, or for a line that ends too close to the end of its
   * chunk.
   */
  readonly #rest = new Uint8Array(MAX_REST + 1 + SLACK);
  readonly #restView = new DataView(this.#rest.buffer);
  #restLength = 0;

  /** Creates a splitter that passes every line to `sink`, in order. */
  constructor(sink: LinesSink) {
    this.#sink = sink;
  }

  /**
   * Sets the byte offset of the next chunk in the log. The chunk must start at the beginning of a
   * line.
   */
  start(offset: number): void {
    this.#offset = offset;
  }

  /**
   * Passes on the complete lines of the next chunk. Buffers an incomplete last line until the next
   * call.
   */
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

  /** Ends the input. If the last line has no LF, adds one and passes the line on. */
  finish(): void {
    if (this.#restLength > 0) this.#endRest();
  }

  /**
   * Appends the start of `chunk`, up to its first LF, to the line in the carry-over buffer, and
   * passes the line on. Returns the offset of the next line in the chunk, or 0 if the chunk
   * contains no LF.
   */
  #completeLine(chunk: Uint8Array): number {
    const end = chunk.indexOf(LF) + 1;
    if (end === 0) return 0;
    this.#keep(chunk.subarray(0, end));
    this.#endRest(end);
    return end;
  }

  /**
   * Copies the lines that start at or after offset `from` in the chunk to the carry-over buffer and
   * passes on the complete ones. They need a copy because fewer than `SLACK` bytes follow them in
   * the chunk.
   */
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

  /**
   * Passes on the line in the carry-over buffer. `taken` is the end offset of the part of the line
   * that was copied from the current chunk.
   */
  #endRest(taken = 0): void {
    const base = this.#offset + taken - this.#restLength;
    let length = Math.min(this.#restLength, MAX_REST);
    if (this.#rest[length - 1] !== LF) this.#rest[length++] = LF;
    this.#restLength = 0;
    this.#sink(this.#rest, this.#restView, 0, length, base);
  }
}

/**
 * Returns the end offset (after the LF) of the last line in the chunk that is followed by at least
 * `SLACK` bytes, or 0 if there is no such line.
 */
function lastLineEnd(chunk: Uint8Array): number {
  const last = chunk.length - 1 - SLACK;
  return last < 0 ? 0 : chunk.lastIndexOf(LF, last) + 1;
}
