import { LF } from "../../../base/ascii.ts";
import {
  COUNT_ONLY,
  neededParts,
  needsEachRequest,
  type RequestFilter,
  type RequestPart,
  type RequestUse,
} from "../collect/collector.ts";
import type { Tally } from "../profile/tally.ts";
import type { LineShape, Spans } from "../read/line_splitter.ts";
import { ID_PLACEHOLDER } from "../read/log_request.ts";
import { type DatedTime, TIME_NOTATIONS, type TimeNotation } from "../read/notations.ts";
import { JSON as JSON_OBJECT } from "./column_kinds.ts";
import { compileColumns, hasParts, needsTail, readDayText, startsWithHost } from "./columns.ts";
import { KEPT, SECOND, STATUS } from "./filter_scopes.ts";
import { ListedRequests, SCOPE_BITS } from "./listed_requests.ts";
import * as memory from "./memory.ts";
import { COUNTER_MODULE } from "./module.ts";

const ALL_BITS = 0xff;

/** Exports of the program in assembly/counter.ts. */
interface CounterProgram {
  readonly memory: WebAssembly.Memory;
  readonly lines: WebAssembly.Global;
  readonly requests: WebAssembly.Global;
  readonly withQuery: WebAssembly.Global;
  readonly withId: WebAssembly.Global;
  readonly isFull: WebAssembly.Global;
  readonly recordsTo: WebAssembly.Global;
  readonly runsTo: WebAssembly.Global;
  readonly listedTo: WebAssembly.Global;
  setParts(tail: boolean, visitor: boolean, host: boolean): void;
  setListedLevel(level: number): void;
  setHostFirst(isFirst: boolean): void;
  setFilters(scopes: number, firstOther: number): void;
  select(from: number, to: number, base: number): number;
  setColumns(count: number): void;
  setNotation(clock: number, date: boolean, fraction: boolean): void;
  setDay(start: number, zoneBytes: number): void;
  clear(seed: number): void;
  clearRuns(): void;
  count(from: number, to: number, base: number): number;
}

let compiled: WebAssembly.Module | undefined;

/**
 * Counts the lines in a log with WebAssembly, 16 bytes at a time.
 *
 * It accepts lines that have the layout set with `setLayout` and the day set with `setDay`, and
 * that need no unescaping or rewriting. It stops at any other line, which the caller must parse.
 * `finish` adds the counts to the tally.
 */
export class LineCounter {
  readonly #tally: Tally;
  readonly #program: CounterProgram;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /**
   * Address, in the program's memory, of byte 0 of the buffer that was passed to `load`. Negative
   * if only later bytes of the buffer are loaded.
   */
  #shift = 0;
  #lines = 0;
  #time: DatedTime | "epoch" = "epoch";
  readonly #parts: ReadonlySet<RequestPart>;
  readonly #filters: readonly RequestFilter[];
  /**
   * Reader that passes each request to the filters and collectors; undefined without filters and
   * collectors.
   */
  readonly #listed: ListedRequests | undefined;

  /**
   * Creates a counter that adds to `tally`. It passes each request to the filters and collectors in
   * `use`.
   */
  constructor(tally: Tally, use: RequestUse = COUNT_ONLY) {
    this.#tally = tally;
    this.#parts = neededParts(use);
    this.#filters = use.filters;
    compiled ??= new WebAssembly.Module(Uint8Array.fromBase64(COUNTER_MODULE));
    const ask = (scopes: number, at: number) => this.#listed!.ask(scopes, at);
    const { exports } = new WebAssembly.Instance(compiled, { filters: { ask } });
    this.#program = exports as unknown as CounterProgram;
    this.#bytes = new Uint8Array(this.#program.memory.buffer);
    this.#view = new DataView(this.#program.memory.buffer);
    this.#view.setInt32(memory.ID_LENGTH, ID_PLACEHOLDER.length, true);
    this.#bytes.set(new TextEncoder().encode(ID_PLACEHOLDER), memory.ID);
    if (needsEachRequest(use)) {
      const { hasVisitor } = this.#listed = new ListedRequests(
        use,
        this.#parts,
        this.#program.memory.buffer as ArrayBuffer,
      );
      this.#program.setParts(needsTail(this.#parts), hasVisitor, this.#parts.has("host"));
      const scopes = use.filters.map(({ scope = "request" }) => SCOPE_BITS[scope]);
      const other = scopes.findIndex((scope) => (scope & (SECOND | STATUS)) === 0);
      const all = scopes.reduce((bits, scope) => bits | scope, 0);
      this.#program.setFilters(all, other < 0 ? KEPT : other + 1);
    }
    this.#clear();
  }

  /**
   * Buffer in the memory of the WebAssembly program. Lines that are read into it are loaded without
   * a copy. Its content stays valid until the caller overwrites it.
   */
  get chunk(): Uint8Array<ArrayBuffer> {
    const { buffer } = this.#program.memory;
    return new Uint8Array(buffer as ArrayBuffer, memory.CHUNK, memory.CHUNK_BYTES);
  }

  /**
   * Sets the layout and the timestamp notation of the lines that follow. Returns false if the
   * counter cannot read such lines. In that case, do not load lines until another call returns
   * true.
   */
  setLayout(shape: LineShape | undefined, time: TimeNotation): boolean {
    const columns = shape && compileColumns(shape, time);
    if (columns === undefined || !hasParts(shape!, time, this.#parts)) return false;
    const { counted = "epoch" } = TIME_NOTATIONS[time];
    this.#time = counted;
    let at = memory.COLUMNS;
    for (const { kind, delimiter, stop, minLength, members } of columns) {
      this.#bytes[at + memory.COLUMN_KIND] = kind;
      this.#bytes[at + memory.COLUMN_DELIMITER_LENGTH] = delimiter.length;
      this.#bytes[at + memory.COLUMN_STOP] = stop;
      this.#bytes[at + memory.COLUMN_MIN_LENGTH] = minLength;
      this.#bytes[at + memory.COLUMN_MEMBERS] = members;
      this.#setText(at + memory.COLUMN_DELIMITER, delimiter);
      at += memory.COLUMN_BYTES;
    }
    // The members of a JSON object are not columns of the line.
    const count = columns[0].kind === JSON_OBJECT ? 1 : columns.length;
    this.#program.setColumns(count);
    this.#program.setHostFirst(startsWithHost(shape!));
    if (counted === "epoch") this.#program.setNotation(-1, false, false);
    else {
      const { clockAt, isDateSeparate, hasFraction } = counted;
      this.#program.setNotation(clockAt, !isDateSeparate, hasFraction);
    }
    return true;
  }

  /**
   * Sets the day of the lines that follow to the day of a line in `bytes`. `spans` contains the
   * offsets of the line's fields. `second` is its timestamp in Unix seconds. The counter stops at
   * lines from other days.
   */
  setDay(bytes: Uint8Array, spans: Spans, second: number): void {
    if (this.#time === "epoch") return;
    const day = readDayText(bytes, spans, this.#time, second);
    if (day === undefined) return;
    const { date, zone, start } = day;
    this.#setText(memory.DAY, date);
    this.#setText(memory.ZONE, zone);
    this.#program.setDay(start, zone.length);
  }

  /**
   * Loads the lines in `bytes[from, to)`, or as many of them as fit. Returns the end offset of the
   * loaded lines, which is `from` if the first line does not fit.
   */
  load(bytes: Uint8Array, from: number, to: number): number {
    if (bytes.buffer === this.#bytes.buffer) {
      this.#shift = bytes.byteOffset;
      return to;
    }
    const max = from + memory.INPUT_BYTES;
    const end = to <= max ? to : Math.max(from, bytes.lastIndexOf(LF, max - 1) + 1);
    this.#bytes.set(bytes.subarray(from, end), memory.INPUT);
    this.#shift = memory.INPUT - from;
    return end;
  }

  /**
   * Counts the loaded lines in `[from, to)`. Offsets refer to the buffer that was passed to `load`,
   * and its byte 0 is at log offset `base`. Returns `to`, or the start of the first line that the
   * counter rejects. Throws `InputError` if there are too many distinct endpoints or seconds.
   */
  count(from: number, to: number, base: number): number {
    const program = this.#program;
    const shift = this.#shift;
    let at = from + shift;
    for (;;) {
      if (this.#listed === undefined) at = program.count(at, to + shift, base - shift);
      else {
        program.setListedLevel(this.#listed.level);
        at = program.select(at, to + shift, base - shift);
        const listedTo = program.listedTo.value;
        this.#listed.use(listedTo, base - shift);
        if (listedTo === memory.LISTED_END) continue;
      }
      if (program.isFull.value === 0) return at - shift;
      if (program.runsTo.value === memory.RUNS_END) this.#addRuns();
      else this.finish();
    }
  }

  /**
   * Returns the number of lines that were counted since the last call to this method, including
   * blank ones.
   */
  takeLines(): number {
    const before = this.#lines;
    this.#lines = this.#program.lines.value;
    return this.#lines - before | 0;
  }

  /**
   * Adds the counts to the tally and resets them. Throws `InputError` if there are too many
   * distinct endpoints or seconds.
   */
  finish(): void {
    const { requests, withQuery, withId, recordsTo } = this.#program;
    const tally = this.#tally;
    tally.requests += requests.value >>> 0;
    tally.withQuery += withQuery.value >>> 0;
    tally.withId += withId.value >>> 0;
    this.#addRuns();
    this.#addDropped();
    for (let record = memory.RECORDS + memory.RECORD_BYTES; record < recordsTo.value;) {
      const count = this.#view.getUint32(record + memory.RECORD_REQUESTS, true);
      const length = this.#view.getUint16(record + memory.RECORD_KEY_LENGTH, true);
      const first = this.#view.getFloat64(record + memory.RECORD_FIRST, true);
      const key = record + memory.RECORD_KEY;
      // A filter may have dropped all requests to an endpoint, and user agents have none.
      if (count > 0) tally.table.add(this.#bytes, key, key + length, count, first);
      record = Math.ceil((key + length) / memory.RECORD_BYTES) * memory.RECORD_BYTES;
    }
    this.#clear();
  }

  #addRuns(): void {
    const to = this.#program.runsTo.value;
    for (let run = memory.RUNS; run < to; run += memory.RUN_BYTES) {
      const second = this.#view.getUint32(run + memory.RUN_SECOND, true);
      this.#tally.seconds.add(second, this.#view.getUint32(run + memory.RUN_REQUESTS, true));
    }
    this.#program.clearRuns();
  }

  #addDropped(): void {
    for (const [i, filter] of this.#filters.entries()) {
      const at = memory.DROPPED + (i + 1) * Uint32Array.BYTES_PER_ELEMENT;
      filter.dropped += this.#view.getUint32(at, true);
      this.#view.setUint32(at, 0, true);
    }
  }

  #clear(): void {
    this.#program.clear(Math.floor(Math.random() * 2 ** 32) | 0);
    this.#listed?.reset();
  }

  #setText(at: number, text: Uint8Array): void {
    const mask = at + memory.TEXT_MASK;
    this.#bytes.fill(0, at, at + memory.MASKED_TEXT_BYTES);
    this.#bytes.set(text, at);
    this.#bytes.fill(ALL_BITS, mask, mask + text.length);
  }
}
