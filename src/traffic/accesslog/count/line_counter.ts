import { LF } from "../../../base/ascii.ts";
import {
  COUNT_ONLY,
  type FilterScope,
  neededParts,
  type RequestFilter,
  type RequestPart,
  type RequestUse,
} from "../collect/collector.ts";
import { visitorNumber } from "../collect/visits.ts";
import { LEVELS } from "../profile/byte_arrays.ts";
import type { Tally } from "../profile/traffic_profile.ts";
import { FIELD_INDEX, type LineShape, type Spans } from "../read/log_format.ts";
import { ID_PLACEHOLDER, LogRequest } from "../read/log_request.ts";
import { type DatedTime, TIME_NOTATIONS, type TimeNotation } from "../read/notations.ts";
import { compileColumns, hasParts, needsTail, readDayText, startsWithHost } from "./columns.ts";
import * as memory from "./memory.ts";
import { COUNTER_MODULE } from "./module.ts";

const ALL_BITS = 0xff;

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

/** Counts regular lines, 16 bytes at a time. Stops at others, which the caller must parse. */
export class LineCounter {
  readonly #tally: Tally;
  readonly #program: CounterProgram;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** Address of byte 0 of the loaded buffer; negative if only later bytes are loaded. */
  #shift = 0;
  #lines = 0;
  #time: DatedTime | "epoch" = "epoch";
  readonly #parts: ReadonlySet<RequestPart>;
  readonly #filters: readonly RequestFilter[];
  /** Undefined without filters and collectors. */
  readonly #listed: ListedRequests | undefined;

  constructor(tally: Tally, use: RequestUse = COUNT_ONLY) {
    this.#tally = tally;
    this.#parts = neededParts(use);
    this.#filters = use.filters;
    compiled ??= new WebAssembly.Module(Uint8Array.fromBase64(COUNTER_MODULE));
    const ask = (scopes: number, at: number) => this.#listed!.ask(scopes, at);
    const { exports } = new WebAssembly.Instance(compiled, { counter: { ask } });
    this.#program = exports as unknown as CounterProgram;
    this.#bytes = new Uint8Array(this.#program.memory.buffer);
    this.#view = new DataView(this.#program.memory.buffer);
    this.#view.setInt32(memory.ID_LENGTH, ID_PLACEHOLDER.length, true);
    this.#bytes.set(new TextEncoder().encode(ID_PLACEHOLDER), memory.ID);
    if (use.filters.length + use.collectors.length > 0) {
      const { hasVisitor } = this.#listed = new ListedRequests(
        use,
        this.#parts,
        this.#program.memory.buffer as ArrayBuffer,
      );
      this.#program.setParts(needsTail(this.#parts), hasVisitor, this.#parts.has("host"));
      const scopes = use.filters.map(({ scope = "request" }) => SCOPE_BITS[scope]);
      const other = scopes.findIndex((scope) =>
        (scope & (memory.SCOPE_SECOND | memory.SCOPE_STATUS)) === 0
      );
      const all = scopes.reduce((bits, scope) => bits | scope, 0);
      this.#program.setFilters(all, other < 0 ? memory.KEPT : other + 1);
    }
    this.#clear();
  }

  /** Memory of the program. Lines read into it are loaded without a copy. */
  get chunk(): Uint8Array<ArrayBuffer> {
    const { buffer } = this.#program.memory;
    return new Uint8Array(buffer as ArrayBuffer, memory.CHUNK, memory.CHUNK_BYTES);
  }

  /** Returns false if the counter cannot read such lines; then load none. */
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
    const count = columns[0].kind === memory.KIND_JSON ? 1 : columns.length;
    this.#program.setColumns(count);
    this.#program.setHostFirst(startsWithHost(shape!));
    if (counted === "epoch") this.#program.setNotation(-1, false, false);
    else {
      const { clockAt, isDateSeparate, hasFraction } = counted;
      this.#program.setNotation(clockAt, !isDateSeparate, hasFraction);
    }
    return true;
  }

  /** Sets the day to that of a line in `bytes` with the timestamp `second`. */
  setDay(bytes: Uint8Array, spans: Spans, second: number): void {
    if (this.#time === "epoch") return;
    const day = readDayText(bytes, spans, this.#time, second);
    if (day === undefined) return;
    const { date, zone, start } = day;
    this.#setText(memory.DAY, date);
    this.#setText(memory.ZONE, zone);
    this.#program.setDay(start, zone.length);
  }

  /** Returns the end of the lines that fit; `from` if the first does not. */
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

  /** `base` is the log offset of byte 0. Returns `to`, or a rejected line. Throws `InputError`. */
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

  takeLines(): number {
    const before = this.#lines;
    this.#lines = this.#program.lines.value;
    return this.#lines - before | 0;
  }

  /** Adds the counts to the tally and resets them. Throws `InputError` if there are too many. */
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

const { client: CLIENT, agent: AGENT, host: HOST } = FIELD_INDEX;

const SCOPE_BITS: Readonly<Record<FilterScope, number>> = {
  second: memory.SCOPE_SECOND,
  status: memory.SCOPE_STATUS,
  endpoint: memory.SCOPE_ENDPOINT,
  path: memory.SCOPE_ENDPOINT,
  agent: memory.SCOPE_AGENT,
  host: memory.SCOPE_HOST,
  request: memory.SCOPE_REQUEST,
};

/** Most recent `LogRequest.generation`; shared, so those of two instances never coincide. */
let generations = 0;

class ListedRequests {
  readonly #use: RequestUse;
  readonly hasVisitor: boolean;
  readonly #hasTail: boolean;
  readonly #hasHost: boolean;
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #request = new LogRequest();

  /** `buffer` is the memory of the program, which finds `parts` in the lines. */
  constructor(use: RequestUse, parts: ReadonlySet<RequestPart>, buffer: ArrayBuffer) {
    this.#use = use;
    this.hasVisitor = use.collectors.some(({ level }) => level !== undefined);
    this.#hasTail = needsTail(parts);
    this.#hasHost = parts.has("host");
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#request.bytes = this.#bytes;
    this.#request.methodAt.bytes = this.#bytes;
    this.#request.target.bytes = this.#bytes;
    this.#request.key.bytes = this.#bytes;
    this.reset();
  }

  /** Lowest sampling level that the collectors need: above 15 without collectors. */
  get level(): number {
    return Math.min(LEVELS, ...this.#use.collectors.map(({ level = 0 }) => level));
  }

  /** Call it when the records are cleared. */
  reset(): void {
    this.#request.generation = ++generations;
  }

  /**
   * Returns the number (from 1) of the first filter of these scopes that drops the request, or
   * `KEPT`; plus `MASK_ONCE` if the result may differ for other requests to the endpoint.
   */
  ask(scopes: number, at: number): number {
    const request = this.#request;
    this.#load(request, at >> 2);
    let flag = 0;
    const { filters } = this.#use;
    for (let i = 0; i < filters.length; i++) {
      const filter = filters[i];
      const { scope = "request" } = filter;
      if ((SCOPE_BITS[scope] & scopes) === 0) continue;
      if (scope === "path" && request.key.hasId && !filter.isSameForEndpoint?.(request)) {
        flag = memory.MASK_ONCE;
      }
      if (!filter.keeps(request)) return (i + 1) | flag;
    }
    return memory.KEPT | flag;
  }

  /** Passes the listed requests, which end at address `to`, to the collectors. */
  use(to: number, base: number): void {
    const { collectors } = this.#use;
    const request = this.#request;
    const words = this.#words;
    const end = to >> 2;
    for (let at = memory.LISTED >> 2; at < end; at += memory.LISTED_BYTES >> 2) {
      this.#load(request, at);
      request.offset = base + words[at];
      for (let i = 0; i < collectors.length; i++) collectors[i].add(request);
    }
  }

  #load(request: LogRequest, at: number): void {
    const words = this.#words;
    const record = words[at + (memory.LISTED_RECORD >> 2)];
    request.timeMs = words[at + (memory.LISTED_SECOND >> 2)] * 1_000;
    const statusAndFlags = words[at + (memory.LISTED_STATUS >> 2)];
    request.status = statusAndFlags & 0xffff;
    request.endpoint = (record - memory.RECORDS) >> 5;
    const { methodAt, target, key } = request;
    methodAt.from = words[at + (memory.LISTED_METHOD >> 2)];
    methodAt.to = words[at + (memory.LISTED_METHOD_TO >> 2)];
    target.from = words[at + (memory.LISTED_PATH >> 2)];
    target.pathEnd = words[at + (memory.LISTED_PATH_TO >> 2)];
    target.to = words[at + (memory.LISTED_TARGET_TO >> 2)];
    const flags = statusAndFlags >>> 16;
    key.hasId = (flags & memory.MASK_HAS_ID) !== 0;
    key.hasQuery = (flags & memory.MASK_HAS_QUERY) !== 0;
    key.from = record + memory.RECORD_KEY;
    // The upper half of this word contains the result of the filters.
    key.to = key.from + (words[(record + memory.RECORD_KEY_LENGTH) >> 2] & 0xffff);
    if (this.#hasTail) this.#loadTail(request, at);
    if (this.#hasHost) request.spans.set(HOST, words[at], words[at + (memory.LISTED_HOST_TO >> 2)]);
  }

  #loadTail({ spans }: LogRequest, at: number): void {
    const words = this.#words;
    if (this.hasVisitor) {
      const other = words[at + (memory.LISTED_OTHER_VISITOR >> 2)];
      this.#request.visitor = visitorNumber(words[at + (memory.LISTED_VISITOR >> 2)], other);
    }
    spans.set(
      CLIENT,
      words[at + (memory.LISTED_CLIENT >> 2)],
      words[at + (memory.LISTED_CLIENT_TO >> 2)],
    );
    spans.from[AGENT] = words[at + (memory.LISTED_AGENT >> 2)] || -1;
    spans.to[AGENT] = words[at + (memory.LISTED_AGENT_TO >> 2)];
  }
}
