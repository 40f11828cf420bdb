import { MAX_LINE_BYTES } from "./line_limit.ts";

const LF = 0x0a;

/** Bytes guaranteed readable past the last line, so that word-wide reads need no bounds checks. */
export const SLACK = 32;
/** Length of the shortest line that is too long. */
const MAX_REST = MAX_LINE_BYTES + 1;

/**
 * Receives the whole lines in `bytes[from, to)`, each with its LF; byte 0 is at `base` in the log.
 * `SLACK` bytes past `to` are readable.
 */
export type LinesSink = (
  bytes: Uint8Array,
  view: DataView,
  from: number,
  to: number,
  base: number,
) => void;

/**
 * Splits the chunks of a log into whole lines with readable bytes after them.
 *
 * Lines that end at least `SLACK` bytes before the end of a chunk are passed on without a copy. The
 * others go through the rest buffer, one line at a time, and so does a line that spans chunks:
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
  /** Log offset of the next chunk. */
  #offset = 0;
  /** The rest buffer: an incomplete line, or one that ends too close to the end of its chunk. */
  readonly #rest = new Uint8Array(MAX_REST + 1 + SLACK);
  readonly #restView = new DataView(this.#rest.buffer);
  #restLength = 0;

  /** Passes every line to `sink`, in order. */
  constructor(sink: LinesSink) {
    this.#sink = sink;
  }

  /** Sets the log offset of the next chunk, which must start a line. */
  start(offset: number): void {
    this.#offset = offset;
  }

  /** Splits the next chunk; its last line may continue in the next call. */
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

  /** Ends the input, and passes on an unterminated last line. */
  finish(): void {
    if (this.#restLength > 0) this.#endRest();
  }

  /** Completes the line in the rest buffer; returns the start of the next line in the chunk. */
  #completeLine(chunk: Uint8Array): number {
    const end = chunk.indexOf(LF) + 1;
    if (end === 0) return 0;
    this.#keep(chunk.subarray(0, end));
    this.#endRest(end);
    return end;
  }

  /** Buffers lines ending within `SLACK` bytes of the chunk's end, and the unfinished last line. */
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

  /** Passes on the buffered line, whose last `taken` bytes are from the current chunk. */
  #endRest(taken = 0): void {
    const base = this.#offset + taken - this.#restLength;
    let length = Math.min(this.#restLength, MAX_REST);
    if (this.#rest[length - 1] !== LF) this.#rest[length++] = LF;
    this.#restLength = 0;
    this.#sink(this.#rest, this.#restView, 0, length, base);
  }
}

/** Returns the end of the last line with `SLACK` bytes after it in the chunk, or 0. */
function lastLineEnd(chunk: Uint8Array): number {
  const last = chunk.length - 1 - SLACK;
  return last < 0 ? 0 : chunk.lastIndexOf(LF, last) + 1;
}
