import { EndpointKey } from "./endpoint_key.ts";
import { MAX_LINE_BYTES } from "./limits.ts";
import { lineEnd } from "./line_end.ts";
import type { MalformedReason } from "./malformed.ts";
import { TimestampReader } from "./timestamp.ts";
import type { Tally } from "./tally.ts";
import { WholeLines } from "./whole_lines.ts";

const LF = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const DASH = 0x2d;
const BRACKET = 0x5b;
const SNIPPET_BYTES = 200;
/** Of four bytes at once: the bits that tell digits, lower-case letters and most signs from LF and `[`. */
const WORD_CASE = 0xa0a0a0a0 | 0;
const WORD_LOWER = 0x20202020;

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
  readonly #input = new WholeLines((bytes, view, from, to, base) =>
    this.#scanLines(bytes, view, from, to, base)
  );
  #lines = 0;

  /** Whatever is read is counted in `tally`. */
  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** What comes next starts a line and stands at `offset` in the log, behind `lines` lines. */
  start(offset: number, lines: number): void {
    this.#input.start(offset);
    this.#lines = lines;
  }

  /** Takes in the next bytes; lines may go on in the next call. Throws InputError past its limits. */
  scan(chunk: Uint8Array): void {
    this.#input.push(chunk);
  }

  /** No more bytes come: a line without an end ends here. Gives the number of lines so far. */
  finish(): number {
    this.#input.finish();
    return this.#lines;
  }

  /** Reads the lines from `from` to `to`, each with its LF; byte 0 stands at `base` in the log. */
  #scanLines(bytes: Uint8Array, view: DataView, from: number, to: number, base: number): void {
    for (let start = from; start < to;) {
      if (bytes[start] === LF) { // A blank line, of which a log may have millions.
        this.#lines++;
        start++;
        continue;
      }
      const second = this.#timestamp(bytes, view, start);
      let reason = second < 0 ? "no-timestamp" : this.#request(bytes, view, this.#at);
      const end = lineEnd(bytes, view, this.#at);
      this.#lines++;
      if (end - start > MAX_LINE_BYTES) reason = "line-too-long";
      if (reason === undefined) this.#tally.count(second, this.#key, base, start);
      else this.#malformed(reason, bytes, start, end, base + start);
      start = end + 1;
    }
  }

  /** Where the last step of reading a line stopped: at its LF at the latest. */
  #at = 0;

  #timestamp(bytes: Uint8Array, view: DataView, start: number): number {
    for (let at = start | 0;; at++) {
      while ((view.getInt32(at, true) & WORD_CASE) === WORD_LOWER) at += 4;
      const byte = bytes[at];
      if (byte === LF) {
        this.#at = at;
        return -1;
      }
      if (byte !== BRACKET || at - 1 <= start || bytes[at - 1] !== SPACE) continue;
      const second = this.#timestamps.read(view, at + 1);
      if (second < 0) continue;
      this.#at = at + 1 + TimestampReader.LENGTH;
      return second;
    }
  }

  /** Reads ` "request" status bytes` at `at` and leaves its key; says what is wrong with it. */
  #request(bytes: Uint8Array, view: DataView, at: number): MalformedReason | undefined {
    this.#at = at;
    if (bytes[at] !== SPACE || bytes[at + 1] !== QUOTE) return "no-request";
    const quote = this.#key.read(bytes, view, at + 2);
    this.#at = quote;
    if (bytes[quote] === LF) return "no-request";
    if (!this.#key.isRequest) return "bad-request";
    return hasStatus(view, quote + 1) ? undefined : "bad-status";
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

/** Whether ` 200 5316` or ` 200 -` stands at `at`. */
function hasStatus(view: DataView, at: number): boolean {
  const word = view.getInt32(at, true);
  // A space and three times the upper half of a digit, whose lower half is at most 9.
  const isStatus = (word & 0xf0f0f0ff) === 0x30303020 &&
    ((word + 0x06060600) & 0xf0f0f0ff) === 0x30303020;
  if (!isStatus || view.getUint8(at + 4) !== SPACE) return false;
  const size = view.getUint8(at + 5);
  return size >= 0x30 && size <= 0x39 || size === DASH;
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
