import { MAX_LINE_BYTES } from "./line_limit.ts";

const LF = 0x0a;

/** How many bytes more can be read behind the last line that a sink gets. */
export const SLACK = 32;
/** A line that is just too long. */
const MOST_REST = MAX_LINE_BYTES + 1;

/**
 * Takes whole lines, each with its LF, from byte `from` to `to`; byte 0 stands at `base` in the log.
 * `SLACK` bytes behind `to` can be read, so that nobody need look whether a word is there.
 */
export type LinesSink = (
  bytes: Uint8Array,
  view: DataView,
  from: number,
  to: number,
  base: number,
) => void;

/**
 * Puts the pieces in which a log is pushed in together to whole lines. Of a line over 1 MiB the first
 * 1 MiB and a byte are handed on, so that it can be told from one that just fits.
 */
export class WholeLines {
  readonly #sink: LinesSink;
  /** Offset of the next byte to come. */
  #offset = 0;
  /** The line that is being put together: its end has not come, or no slack behind it. */
  readonly #rest = new Uint8Array(MOST_REST + 1 + SLACK);
  readonly #restView = new DataView(this.#rest.buffer);
  #restLength = 0;

  /** For a sink that gets every line, in order, the last one when there is no more. */
  constructor(sink: LinesSink) {
    this.#sink = sink;
  }

  /** What comes next starts a line and stands at `offset` in the log. */
  start(offset: number): void {
    this.#offset = offset;
  }

  /** Takes in the next bytes; lines may go on in the next call. */
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

  /** No more bytes come: a line without an end ends here. */
  finish(): void {
    if (this.#restLength > 0) this.#endRest();
  }

  /** Adds to the line that is being kept; gives where in the chunk the next one starts. */
  #completeLine(chunk: Uint8Array): number {
    const end = chunk.indexOf(LF) + 1;
    if (end === 0) return 0;
    this.#keep(chunk.subarray(0, end));
    this.#endRest(end);
    return end;
  }

  /** Takes the lines that end where the slack would be, and keeps the one that goes on. */
  #takeLast(chunk: Uint8Array, from: number): void {
    let start = from;
    for (let end; (end = chunk.indexOf(LF, start) + 1) > 0; start = end) {
      this.#keep(chunk.subarray(start, end));
      this.#endRest(end);
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(bytes: Uint8Array): void {
    const room = MOST_REST - this.#restLength;
    if (room > 0) this.#rest.set(bytes.subarray(0, room), this.#restLength);
    this.#restLength += bytes.length;
  }

  /** Hands on what was kept, of which the last `taken` bytes came with this chunk. */
  #endRest(taken = 0): void {
    const base = this.#offset + taken - this.#restLength;
    let length = Math.min(this.#restLength, MOST_REST);
    if (this.#rest[length - 1] !== LF) this.#rest[length++] = LF;
    this.#restLength = 0;
    this.#sink(this.#rest, this.#restView, 0, length, base);
  }
}

/** Where the last line ends behind which there is the slack. */
function lastLineEnd(chunk: Uint8Array): number {
  const last = chunk.length - 1 - SLACK;
  return last < 0 ? 0 : chunk.lastIndexOf(LF, last) + 1;
}
