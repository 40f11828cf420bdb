import { lineEnd } from "../line_end.ts";
import type { MalformedReason } from "../malformed.ts";
import type { Tally } from "../tally.ts";
import { WholeLines } from "../whole_lines.ts";
import type { LogRequest } from "./log_request.ts";
import type { RequestReader } from "./request_reader.ts";

const SNIPPET_BYTES = 200;

/** Decides whether a request counts. */
export interface RequestFilter {
  /** Whether it does. */
  keeps(request: LogRequest): boolean;
}

/** Learns from the requests that count. */
export interface RequestCollector {
  /** `request` is valid during the call only. */
  add(request: LogRequest): void;
}

/** What becomes of the requests of a log beside being counted. */
export interface RequestUse {
  readonly filters: readonly RequestFilter[];
  readonly collectors: readonly RequestCollector[];
}

/** Reads lines of any format from bytes that are pushed in: the plain scanner's thorough brother. */
export class RequestScanner {
  readonly #tally: Tally;
  readonly #reader: RequestReader;
  readonly #use: RequestUse;
  readonly #input = new WholeLines((bytes, view, from, to, base) => {
    for (let start = from; start < to;) {
      const end = lineEnd(bytes, view, start);
      this.#line(bytes, view, start, end, base);
      start = end + 1;
    }
  });
  #lines = 0;

  /** Whatever is read, and kept, is counted in `tally`. */
  constructor(tally: Tally, reader: RequestReader, use: RequestUse) {
    this.#tally = tally;
    this.#reader = reader;
    this.#use = use;
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

  #line(bytes: Uint8Array, view: DataView, start: number, end: number, base: number): void {
    this.#lines++;
    const found = this.#reader.read(bytes, view, start, end);
    if (found === undefined) this.#request(base, start);
    else if (found !== "aside") this.#malformed(found, bytes, start, end, base + start);
  }

  #request(base: number, at: number): void {
    const { request } = this.#reader;
    for (const filter of this.#use.filters) if (!filter.keeps(request)) return;
    this.#tally.count(request.second, request.key, base, at);
    for (const collector of this.#use.collectors) collector.add(request);
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
