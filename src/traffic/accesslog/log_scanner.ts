import { compileColumns } from "./counter/columns.ts";
import { dayText } from "./counter/day_text.ts";
import { LineCounter } from "./counter/line_counter.ts";
import type { LogFormat } from "./formats/log_format.ts";
import { lineEnd } from "./line_end.ts";
import type { LineShape } from "./lines/line_shape.ts";
import { RequestReader } from "./lines/request_reader.ts";
import { COUNT_ONLY, needsEachRequest, type RequestUse } from "./lines/request_use.ts";
import type { MalformedReason } from "./malformed.ts";
import type { Tally } from "./tally.ts";
import { WholeLines } from "./whole_lines.ts";

const SNIPPET_BYTES = 200;
/** After so many lines that are not as usual, one that is must have come for each of them. */
const PATIENCE_LINES = 64;

/**
 * Reads the lines of a log from bytes that are pushed in, and tallies them. Lines end with LF or CR LF,
 * the last one perhaps with nothing. Blank lines (spaces and tabs at most) count for nothing but line
 * numbers. A line over 1 MiB is malformed and is not kept.
 *
 * Where requests are counted only, a `LineCounter` takes the lines that are as usual, and the reader
 * of single lines takes the others; both find the same.
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
  /** What the counter was told of the lines. */
  #shape: LineShape | undefined;
  #isCountable = false;
  /** Whether the line read last by itself was a request. */
  #wasRequest = false;
  #lines = 0;

  /** Whatever is read, and kept, is counted in `tally`. */
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

  /** What comes next starts a line and stands at `offset` in the log, behind `lines` lines. */
  start(offset: number, lines: number): void {
    this.#input.start(offset);
    this.#lines = lines;
  }

  /** Takes in the next bytes; lines may go on in the next call. Throws InputError past its limits. */
  scan(chunk: Uint8Array): void {
    this.#input.push(chunk);
  }

  /** A line without an end ends here. Gives the number of lines so far; `start` may follow. */
  endLine(): number {
    this.#input.finish();
    return this.#lines;
  }

  /** The same where no more bytes come: all is in the tally then. Throws InputError past its limits. */
  finish(): number {
    this.endLine();
    this.#counter?.finish();
    return this.#lines;
  }

  /** Reads the lines from `from` to `to`, each with its LF; byte 0 stands at `base` in the log. */
  #scanLines(bytes: Uint8Array, view: DataView, from: number, to: number, base: number): void {
    for (let at = from; at < to;) {
      const loaded = this.#isCountable ? this.#counter!.load(bytes, at, to) : at;
      at = loaded > at
        ? this.#countLines(bytes, view, at, loaded, base)
        : this.#readLine(bytes, view, at, base);
    }
  }

  /** Has loaded lines counted, and reads those that are left to it; gives where it stopped. */
  #countLines(bytes: Uint8Array, view: DataView, from: number, to: number, base: number): number {
    const counter = this.#counter!;
    let left = 0;
    let at = from;
    for (let counted = 0; this.#isCountable && left <= counted + PATIENCE_LINES;) {
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

  /** Reads the line that starts at `start`; gives where the next one starts. */
  #readLine(bytes: Uint8Array, view: DataView, start: number, base: number): number {
    const end = lineEnd(bytes, view, start);
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
    // The counter takes a line without a zone only after one was read here.
    if (!request.hasZone) this.#tally.withoutZone = true;
    this.#tally.count(request.second, request.key, base, at);
    for (const collector of this.#use.collectors) collector.add(request);
  }

  /** The counter hears how lines are written, which a line of the log may have changed. */
  #tellShape(): void {
    const { shape } = this.#reader;
    if (this.#counter === undefined || shape === this.#shape) return;
    this.#shape = shape;
    const columns = shape && compileColumns(shape, this.#format.time);
    this.#isCountable = columns !== undefined;
    if (columns !== undefined) this.#counter.setColumns(columns, this.#format.time);
  }

  /** The counter hears how the day is written that the request read last was on. */
  #tellDay(): void {
    const { request } = this.#reader;
    const day = dayText(request.bytes, request.spans, this.#format.time, request.second);
    if (day !== undefined) this.#counter!.setDay(day);
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
