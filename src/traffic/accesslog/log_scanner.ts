import { CHUNK_BYTES } from "../../base/bytes/byte_source.ts";
import { findLineEnd } from "./read/text/bytes.ts";
import { LineCounter } from "./count/line_counter.ts";
import type { LogFormat } from "./read/log_format.ts";
import type { LineShape } from "./read/line_splitter.ts";
import { RequestReader } from "./read/request_reader.ts";
import { COUNT_ONLY, type RequestUse } from "./collect/collector.ts";
import type { MalformedReason } from "./read/line_splitter.ts";
import type { Tally } from "./profile/tally.ts";
import { WholeLines } from "./read/whole_lines.ts";

const SNIPPET_BYTES = 4 * 1024;
/**
 * How many more lines of a chunk the `LineCounter` may reject than count. Beyond this limit, the
 * scanner reads the rest of the chunk without the `LineCounter`.
 */
const MAX_IRREGULAR_LEAD = 64;

/**
 * Reads the lines of a log from chunks of bytes and adds them to a tally. Lines end with LF or CR
 * LF. The last line of a log may have no line ending. Blank lines (empty, or only spaces and tabs)
 * affect only line numbers. A line over 1 MiB is malformed and is not stored.
 *
 * A `LineCounter` counts the lines that it supports, and a `RequestReader` parses all other lines.
 * The result is the same as with the `RequestReader` alone.
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
  /** Line layout that was last passed to the counter. */
  #shape: LineShape | undefined;
  #isCountable = false;
  #buffer: Uint8Array<ArrayBuffer> | undefined;
  /** True if `#readLine` found a request in the last line that was passed to it. */
  #wasRequest = false;
  #lines = 0;

  /**
   * Creates a scanner for lines in `format`. Requests that pass the filters in `use` are added to
   * `tally` and passed to the collectors in `use`.
   */
  constructor(tally: Tally, format: LogFormat, use: RequestUse = COUNT_ONLY) {
    this.#tally = tally;
    this.#format = format;
    this.#reader = new RequestReader(format);
    this.#use = use;
    if (this.#reader.shape !== undefined) this.#counter = new LineCounter(tally, use);
    this.#updateLayout();
  }

  /**
   * Buffer for the next chunk. `scan` accepts any chunk, but does not need to copy a chunk that
   * begins at the start of this buffer. bench: scripts/bench/accesslog.ts
   */
  get buffer(): Uint8Array<ArrayBuffer> {
    return this.#buffer ??= this.#counter?.chunk ?? new Uint8Array(CHUNK_BYTES);
  }

  /**
   * Sets the byte offset of the next chunk in the log, and the number of lines before it. The chunk
   * must start at the beginning of a line.
   */
  start(offset: number, lines: number): void {
    this.#input.start(offset);
    this.#lines = lines;
  }

  /**
   * Reads the next chunk of the log. Its last line may continue in the following chunk. Throws
   * `InputError` if there are too many distinct endpoints or seconds.
   */
  scan(chunk: Uint8Array): void {
    this.#input.push(chunk);
  }

  /**
   * Ends the last line, even if it has no LF. Returns the total number of lines. Call `start`
   * before you scan more chunks.
   */
  endLine(): number {
    this.#input.finish();
    return this.#lines;
  }

  /**
   * Ends the last line and adds all outstanding counts to the tally. Returns the total number of
   * lines. Throws `InputError` if there are too many distinct endpoints or seconds.
   */
  finish(): number {
    this.endLine();
    this.#counter?.finish();
    return this.#lines;
  }

  /** Reads the lines in `bytes[from, to)`, each with its LF. `base` is the log offset of byte 0. */
  #scanLines(bytes: Uint8Array, view: DataView, from: number, to: number, base: number): void {
    for (let at = from; at < to;) {
      const loaded = this.#isCountable ? this.#counter!.load(bytes, at, to) : at;
      at = loaded > at
        ? this.#countLines(bytes, view, at, loaded, base)
        : this.#readLine(bytes, view, at, base);
    }
  }

  /**
   * Counts the lines in `[from, to)` with the `LineCounter`, and parses each line that it rejects.
   * The lines must already be loaded into the counter. Returns `to`.
   */
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

  /**
   * Reads the line at offset `start` with the `RequestReader`. Returns the offset of the next line.
   */
  #readLine(bytes: Uint8Array, view: DataView, start: number, base: number): number {
    const end = findLineEnd(bytes, view, start);
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
    this.#tally.count(request.second, request.key, base, at);
    request.offset = base + at;
    for (const collector of this.#use.collectors) collector.add(request);
  }

  /** Passes the line layout to the counter if a line of the log has changed it. */
  #updateLayout(): void {
    const { shape } = this.#reader;
    if (this.#counter === undefined || shape === this.#shape) return;
    this.#shape = shape;
    this.#isCountable = this.#counter.setLayout(shape, this.#format.time);
  }

  /** Passes the day of the last request to the counter. */
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
