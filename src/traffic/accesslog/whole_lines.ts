import { MAX_LINE_BYTES } from "./limits.ts";

const LF = 0x0a;

/** Takes whole lines, each with its LF, from byte `from` to `to`; byte 0 stands at `base` in the log. */
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
  /** The beginning of a line whose end has not come yet. */
  readonly #rest = new Uint8Array(MAX_LINE_BYTES + 2);
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
    const to = Math.max(from, chunk.lastIndexOf(LF) + 1);
    if (to > from) {
      const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      this.#sink(chunk, view, from, to, this.#offset);
    }
    this.#keep(chunk.subarray(to));
    this.#offset += chunk.length;
  }

  /** No more bytes come: a line without an end ends here. */
  finish(): void {
    if (this.#restLength > 0) this.#endRest(this.#offset - this.#restLength);
  }

  /** Adds to the line that is being kept; gives where in the chunk the next one starts. */
  #completeLine(chunk: Uint8Array): number {
    const end = chunk.indexOf(LF);
    const length = end < 0 ? chunk.length : end;
    const lineStart = this.#offset - this.#restLength;
    this.#keep(chunk.subarray(0, length));
    if (end < 0) return length;
    this.#endRest(lineStart);
    return length + 1;
  }

  #keep(bytes: Uint8Array): void {
    const room = MAX_LINE_BYTES + 1 - this.#restLength;
    if (room > 0) this.#rest.set(bytes.subarray(0, room), this.#restLength);
    this.#restLength += bytes.length;
  }

  #endRest(offset: number): void {
    const length = Math.min(this.#restLength, MAX_LINE_BYTES + 1);
    this.#restLength = 0;
    this.#rest[length] = LF;
    this.#sink(this.#rest, this.#restView, 0, length + 1, offset);
  }
}
