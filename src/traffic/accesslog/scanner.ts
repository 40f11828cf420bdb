import { EndpointKey } from "./endpoint_key.ts";
import { MAX_LINE_BYTES } from "./limits.ts";
import type { MalformedReason } from "./malformed.ts";
import { TimestampReader } from "./timestamp.ts";
import type { Tally } from "./tally.ts";

const LF = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const DASH = 0x2d;
const BRACKET = 0x5b;
const SNIPPET_BYTES = 200;

/**
 * Reads access-log lines in the common and the combined format from bytes that are pushed in, and
 * tallies them; nothing is made per line.
 *
 * A line is: anything but nothing, ` [dd/Mon/yyyy:HH:MM:SS +zzzz]` (the first one that exists),
 * ` "request"` (see `EndpointKey`), a status of three digits, a number of bytes or `-`, and anything
 * behind that. Lines end with LF or CR LF, the last one perhaps with nothing. Blank lines (spaces and
 * tabs at most) count for nothing but line numbers. A line over 1 MiB is malformed and is not kept.
 */
export class AccessLogScanner {
  readonly #tally: Tally;
  readonly #timestamps = new TimestampReader();
  readonly #key = new EndpointKey();
  /** Offset of the next byte to come. */
  #offset = 0;
  #lines = 0;
  /** The beginning of a line whose end has not come yet. */
  readonly #rest = new Uint8Array(MAX_LINE_BYTES + 1);
  readonly #restView = new DataView(this.#rest.buffer);
  #restLength = 0;

  /** Whatever is read is counted in `tally`. */
  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** What comes next starts a line and stands at `offset` in the log, behind `lines` lines. */
  start(offset: number, lines: number): void {
    this.#offset = offset;
    this.#lines = lines;
  }

  /** Takes in the next bytes; lines may go on in the next call. Throws InputError past its limits. */
  scan(chunk: Uint8Array): void {
    const from = this.#restLength > 0 ? this.#completeLine(chunk) : 0;
    const to = Math.max(from, chunk.lastIndexOf(LF) + 1);
    if (to > from) {
      const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      this.#scanLines(chunk, view, from, to, this.#offset);
    }
    this.#keep(chunk.subarray(to));
    this.#offset += chunk.length;
  }

  /** No more bytes come: a line without an end ends here. Gives the number of lines so far. */
  finish(): number {
    if (this.#restLength > 0) this.#endRest(this.#offset - this.#restLength);
    return this.#lines;
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
    const room = MAX_LINE_BYTES - this.#restLength;
    if (room > 0) this.#rest.set(bytes.subarray(0, room), this.#restLength);
    this.#restLength += bytes.length;
  }

  #endRest(offset: number): void {
    const length = this.#restLength;
    this.#restLength = 0;
    if (length > MAX_LINE_BYTES) {
      this.#lines++;
      this.#malformed("line-too-long", this.#rest, 0, MAX_LINE_BYTES, offset);
      return;
    }
    this.#rest[length] = LF;
    this.#scanLines(this.#rest, this.#restView, 0, length + 1, offset);
  }

  /** Reads the lines from `from` to `to`, each with its LF; byte 0 stands at `base` in the log. */
  #scanLines(bytes: Uint8Array, view: DataView, from: number, to: number, base: number): void {
    for (let start = from; start < to;) {
      const second = this.#timestamp(bytes, view, start, to);
      let reason = second < 0 ? "no-timestamp" : this.#request(bytes, view, this.#at);
      const end = lineEnd(bytes, view, this.#at, to);
      this.#lines++;
      if (end - start > MAX_LINE_BYTES) reason = "line-too-long";
      if (reason === undefined) this.#tally.count(second, this.#key, base + start);
      else this.#malformed(reason, bytes, start, end, base + start);
      start = end + 1;
    }
  }

  /** Where the last step of reading a line stopped: at its LF at the latest. */
  #at = 0;

  #timestamp(bytes: Uint8Array, view: DataView, start: number, to: number): number {
    const last = to - 1 - TimestampReader.LENGTH;
    let at = start;
    if (bytes[at] !== LF) at++;
    for (; bytes[at] !== LF; at++) {
      if (bytes[at] !== BRACKET || bytes[at - 1] !== SPACE || at - 1 === start || at >= last) {
        continue;
      }
      const second = this.#timestamps.read(view, at + 1);
      if (second < 0) continue;
      this.#at = at + 1 + TimestampReader.LENGTH;
      return second;
    }
    this.#at = at;
    return -1;
  }

  /** Reads ` "request" status bytes` at `at` and leaves its key; says what is wrong with it. */
  #request(bytes: Uint8Array, view: DataView, at: number): MalformedReason | undefined {
    this.#at = at;
    if (bytes[at] !== SPACE || bytes[at + 1] !== QUOTE) return "no-request";
    const quote = this.#key.read(bytes, view, at + 2);
    this.#at = quote;
    if (bytes[quote] === LF) return "no-request";
    if (!this.#key.isRequest) return "bad-request";
    return hasStatus(bytes, quote + 1) ? undefined : "bad-status";
  }

  #malformed(
    reason: MalformedReason,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
  ): void {
    if (reason === "no-timestamp" && isBlank(bytes, start, end)) return;
    const text = () => decodeSnippet(bytes.subarray(start, Math.min(end, start + SNIPPET_BYTES)));
    this.#tally.countMalformed(reason, offset, this.#lines, text);
  }
}

/** Whether ` 200 5316` or ` 200 -` stands at `at`; reads no further than the line goes. */
function hasStatus(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === SPACE && isDigit(bytes[at + 1]) && isDigit(bytes[at + 2]) &&
    isDigit(bytes[at + 3]) && bytes[at + 4] === SPACE &&
    (isDigit(bytes[at + 5]) || bytes[at + 5] === DASH);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Where the next LF at or behind `from` stands; there is one before `to`. Four bytes at a time. */
function lineEnd(bytes: Uint8Array, view: DataView, from: number, to: number): number {
  let i = from;
  for (const last = to - 8; i <= last; i += 8) {
    const a = view.getInt32(i, true) ^ 0x0a0a0a0a;
    const b = view.getInt32(i + 4, true) ^ 0x0a0a0a0a;
    // The high bit of a byte stays set only where the byte, or one below it, was LF.
    if (((((a - 0x01010101) & ~a) | ((b - 0x01010101) & ~b)) & 0x80808080) !== 0) break;
  }
  while (bytes[i] !== LF) i++;
  return i;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if (bytes[i] !== SPACE && bytes[i] !== 0x09 && bytes[i] !== 0x0d) return false;
  }
  return true;
}

function decodeSnippet(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.slice()).replace(/\r$/, "");
}
