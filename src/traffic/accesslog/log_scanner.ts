import { findLineEnd } from "./read/text/line_bounds.ts";
import { LineCounter } from "./count/line_counter.ts";
import type { LogFormat } from "./read/log_format.ts";
import type { LineShape } from "./read/line_splitter.ts";
import { RequestReader } from "./read/request_reader.ts";
import { COUNT_ONLY, needsEachRequest, type RequestUse } from "./read/request_use.ts";
import type { MalformedReason } from "./read/malformed.ts";
import type { Tally } from "./profile/tally.ts";
import { WholeLines } from "./read/whole_lines.ts";

const SNIPPET_BYTES = 200;
/**
 * Number by which irregular lines must outnumber counted ones before the scanner falls back to the line
 * reader.
 */
const MAX_IRREGULAR_LEAD = 64;

/**
 * Reads the lines of a log from chunks of bytes and tallies them. Lines end with LF or CR LF, which the
 * last line may lack. Blank lines (only spaces and tabs) count for line numbers only. A line over 1 MiB
 * is malformed and is not stored.
 *
 * If requests are only counted, a `LineCounter` handles the regular lines and the line reader
 * (`RequestReader`) handles the others, with the same results.
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
  /** The line layout that was last passed to the counter. */
  #shape: LineShape | undefined;
  #isCountable = false;
  /** True if the last line that the line reader read was a request. */
  #wasRequest = false;
  #lines = 0;

  /** Creates a scanner that adds the requests that pass the filters of `use` to `tally`. */
  constructor(tally: Tally, format: LogFormat, use: RequestUse = COUNT_ONLY) {
    this.#tally = tally;
    this.#format = format;
    this.#reader = new RequestReader(format);
    this.#use = use;
    if (!needsEachRequest(use) && this.#reader.shape !== undefined) {
      this.#counter = new LineCounter(tally);
    }
    this.#tellShape();
  }

  /** Sets the log offset and the number of lines before the next chunk, which must start a line. */
  start(offset: number, lines: number): void {
    this.#input.start(offset);
    this.#lines = lines;
  }

  /**
   * Reads the next chunk, whose last line may continue in the next one. Throws InputError if there are
   * too many endpoints or seconds.
   */
  scan(chunk: Uint8Array): void {
    this.#input.push(chunk);
  }

  /**
   * Ends the last line if it has no LF. Returns the total number of lines. Call `start` before scanning
   * more chunks.
   */
  endLine(): number {
    this.#input.finish();
    return this.#lines;
  }

  /**
   * Ends the input and adds all outstanding counts to the tally. Returns the total number of lines.
   * Throws InputError if there are too many endpoints or seconds.
   */
  finish(): number {
    this.endLine();
    this.#counter?.finish();
    return this.#lines;
  }

  /** Reads the lines in `bytes[from, to)`, each with its LF; byte 0 is at `base` in the log. */
  #scanLines(bytes: Uint8Array, view: DataView, from: number, to: number, base: number): void {
    for (let at = from; at < to;) {
      const loaded = this.#isCountable ? this.#counter!.load(bytes, at, to) : at;
      at = loaded > at
        ? this.#countLines(bytes, view, at, loaded, base)
        : this.#readLine(bytes, view, at, base);
    }
  }

  /** Counts the loaded lines, reads those that the counter rejects, and returns the end of all. */
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
      if (this.#wasRequest) this.#tellDay();
      left++;
    }
    while (at < to) at = this.#readLine(bytes, view, at, base);
    return to;
  }

  /** Reads the line at `start`; returns the start of the next one. */
  #readLine(bytes: Uint8Array, view: DataView, start: number, base: number): number {
    const end = findLineEnd(bytes, view, start);
    this.#lines++;
    const found = this.#reader.read(bytes, view, start, end);
    this.#wasRequest = found === undefined;
    if (found === undefined) this.#request(base, start);
    else if (found === "ignored") this.#tellShape();
    else this.#malformed(found, bytes, start, end, base + start);
    return end + 1;
  }

  #request(base: number, at: number): void {
    const { request } = this.#reader;
    for (const filter of this.#use.filters) if (!filter.keeps(request)) return;
    // The counter accepts lines without a zone only after this reader has read one.
    if (!request.hasZone) this.#tally.withoutZone = true;
    this.#tally.count(request.second, request.key, base, at);
    for (const collector of this.#use.collectors) collector.add(request);
  }

  /** Passes the current line layout to the counter, because a line of the log may have changed it. */
  #tellShape(): void {
    const { shape } = this.#reader;
    if (this.#counter === undefined || shape === this.#shape) return;
    this.#shape = shape;
    this.#isCountable = this.#counter.setLayout(shape, this.#format.time);
  }

  /** Passes the date and zone of the last request, as text, to the counter. */
  #tellDay(): void {
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
