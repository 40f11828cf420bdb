import { ByteIndex } from "../../../base/byte_index.ts";
import { InputError } from "../../../base/errors.ts";
import { MALFORMED_REASONS, type MalformedReason } from "../read/log_format.ts";
import type { EndpointKey, MalformedLine } from "../read/log_request.ts";
import { type ByteStrings, growArray, packStrings, stringAt } from "./byte_arrays.ts";
import type { ZodError } from "zod";

/** An endpoint and its number of requests. */
export interface EndpointCount {
  readonly method: string;
  /** Path escaped as in a plan: `${vars.id}` replaces each id, `$${` each `${`. */
  readonly route: string;
  readonly count: number;
}

const MAX_BYTES = 2 ** 30;

/** Can be sent to another thread. */
export interface EndpointData {
  /** `METHOD route`. */
  readonly keys: ByteStrings;
  readonly counts: Uint32Array;
  readonly firsts: Float64Array;
}

/** Counts requests by `METHOD route`. */
export class EndpointTable {
  readonly #keys = new ByteIndex();
  #counts = new Uint32Array(1 << 8);
  #firsts = new Float64Array(1 << 8);

  get size(): number {
    return this.#keys.size;
  }

  /**
   * `first` is the log offset of the first. Throws `InputError` if the keys need too much memory.
   */
  add(bytes: Uint8Array, from: number, to: number, count: number, first: number): void {
    const known = this.size;
    const key = this.#keys.number(bytes, from, to);
    if (key === known) this.#insert(key);
    this.#counts[key] += count;
    if (first < this.#firsts[key]) this.#firsts[key] = first;
  }

  #insert(key: number): void {
    if (this.#keys.bytes > MAX_BYTES) {
      throw new InputError(
        "cannot read the log: its distinct paths need more than 1 GiB of memory; convert only part of the log",
        { source: "access log" },
      );
    }
    this.#counts = growArray(this.#counts, key + 1);
    this.#firsts = growArray(this.#firsts, key + 1);
    this.#firsts[key] = Infinity;
  }

  /** Increases the log offsets of the other table by `shift`. */
  merge({ keys, counts, firsts }: EndpointData, shift: number): void {
    for (let i = 0; i < counts.length; i++) {
      const key = stringAt(keys, i);
      this.add(key, 0, key.length, counts[i], firsts[i] + shift);
    }
  }

  data(): EndpointData {
    return {
      keys: packStrings(this.#keys),
      counts: this.#counts.slice(0, this.size),
      firsts: this.#firsts.slice(0, this.size),
    };
  }

  /**
   * Yields the key (`METHOD route`), the number of requests and the log offset of the first request
   * for each endpoint, in order of first appearance in the log.
   */
  *entries(): Generator<[key: string, count: number, first: number]> {
    const decoder = keyDecoder();
    const order = this.#numbers().sort((a, b) => this.#firsts[a] - this.#firsts[b]);
    for (const i of order) {
      yield [decoder.decode(this.#keys.at(i)), this.#counts[i], this.#firsts[i]];
    }
  }

  /**
   * Returns the `count` endpoints with the most requests, sorted by number of requests, highest
   * first. Endpoints with the same number are in order of first appearance in the log.
   */
  top(count: number): EndpointCount[] {
    const compare = (a: number, b: number) =>
      this.#counts[b] - this.#counts[a] || this.#firsts[a] - this.#firsts[b];
    // Sorts only the endpoints that may be among the first, because comparisons are slow.
    const counts = this.#counts.slice(0, this.size).sort();
    const least = counts[Math.max(0, this.size - count)] ?? 0;
    const found = this.#numbers().filter((i) => this.#counts[i] >= least).sort(compare)
      .subarray(0, count);
    const decoder = keyDecoder();
    return Array.from(found, (i) => {
      const text = decoder.decode(this.#keys.at(i));
      const space = text.indexOf(" ");
      return { method: text.slice(0, space), route: text.slice(space + 1), count: this.#counts[i] };
    });
  }

  /** Requests to endpoints whose key satisfies `matches`. */
  countWhere(matches: (key: Uint8Array) => boolean): number {
    return this.#numbers().reduce(
      (sum, i) => matches(this.#keys.at(i)) ? sum + this.#counts[i] : sum,
      0,
    );
  }

  #numbers(): Uint32Array {
    return Uint32Array.from({ length: this.size }, (_, i) => i);
  }
}

function keyDecoder(): TextDecoder {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
}

const PAGE = 16;
const MAX_PAGES = 2 ** 23;

/** Can be transferred to another thread. */
export interface SecondPages {
  /** Page number (Unix seconds / 16) to the index of its first second in `counts`. */
  readonly pages: ReadonlyMap<number, number>;
  readonly counts: Uint32Array;
}

type PageStart = readonly [page: number, start: number];

export type VisitSecond = (second: number, requests: number) => void;

export interface SecondRun {
  /** Unix seconds. */
  readonly start: number;
  readonly counts: readonly number[];
}

/**
 * Stores only pages of 16 seconds with a request, so ten quiet years take as little as a busy
 * month.
 */
export class SecondCounts implements SecondPages {
  readonly pages: Map<number, number> = new Map();
  counts: Uint32Array = new Uint32Array(PAGE * 64);
  /** First Unix second of the page used last, at `#start` in `counts`. */
  #first = -PAGE;
  #start = 0;
  /** Cached list of the pages in chronological order; undefined after a page was added. */
  #sorted: readonly PageStart[] | undefined;

  /** Throws `InputError` if the requests are spread over too many pages. */
  add(second: number, requests: number): void {
    let within = second - this.#first;
    if (!(within >= 0 && within < PAGE)) {
      this.#turnTo(Math.floor(second / PAGE));
      within = second - this.#first;
    }
    this.counts[this.#start + within] += requests;
  }

  /** Throws `InputError` if the requests are spread over too many pages. */
  merge(other: SecondPages): void {
    visitPages(sortPages(other.pages), other.counts, (second, requests) => {
      this.add(second, requests);
    });
  }

  /**
   * Calls `visit` for each Unix second that has requests, in chronological order, and passes the
   * second and its number of requests.
   */
  forEach(visit: VisitSecond): void {
    this.#sorted ??= sortPages(this.pages);
    visitPages(this.#sorted, this.counts, visit);
  }

  /** Runs of consecutive seconds with requests. */
  runs(): SecondRun[] {
    const runs: SecondRun[] = [];
    let next = NaN;
    let counts: number[] = [];
    this.forEach((second, requests) => {
      if (second !== next) runs.push({ start: second, counts: counts = [] });
      counts.push(requests);
      next = second + 1;
    });
    return runs;
  }

  #turnTo(page: number): void {
    let start = this.pages.get(page);
    if (start === undefined) {
      if (this.pages.size === MAX_PAGES) {
        throw new InputError(
          "cannot read the log: its requests are spread over too many years; " +
            "convert only part of the log",
          { source: "access log" },
        );
      }
      start = this.pages.size * PAGE;
      this.counts = growArray(this.counts, start + PAGE);
      this.pages.set(page, start);
      this.#sorted = undefined;
    }
    this.#first = page * PAGE;
    this.#start = start;
  }
}

function sortPages(pages: SecondPages["pages"]): PageStart[] {
  return [...pages].sort(([a], [b]) => a - b);
}

// A callback, not a generator: for a log of 50,000 requests over 3.5 days, it reduced the CPU time
// of `convert` from 264 to 247 ms, together with its callers.
function visitPages(
  pages: readonly PageStart[],
  counts: Uint32Array,
  visit: VisitSecond,
): void {
  for (const [page, start] of pages) {
    for (let i = 0; i < PAGE; i++) {
      const requests = counts[start + i];
      if (requests > 0) visit(page * PAGE + i, requests);
    }
  }
}

/** So that the count of one second never exceeds 32 bits. */
export const MAX_REQUESTS = 2 ** 32 - 1;

export type FirstMalformed = Readonly<Partial<Record<MalformedReason, MalformedLine>>>;

/** Can be sent to another thread. */
export interface TallyData {
  readonly requests: number;
  readonly withQuery: number;
  readonly withId: number;
  readonly withoutZone: boolean;
  readonly malformed: Readonly<Record<MalformedReason, number>>;
  readonly firstMalformed: FirstMalformed;
  readonly seconds: SecondPages;
  readonly endpoints: EndpointData;
}

/**
 * Counts requests and malformed lines. Merging the tallies of a log's parts gives that of the log.
 */
export class Tally {
  requests = 0;
  withQuery = 0;
  withId = 0;
  withoutZone = false;
  readonly malformedByReason = Object.fromEntries(
    MALFORMED_REASONS.map((reason) => [reason, 0]),
  ) as Record<
    MalformedReason,
    number
  >;
  firstByReason: Partial<Record<MalformedReason, MalformedLine>> = {};
  readonly seconds: SecondCounts = new SecondCounts();
  table: EndpointTable = new EndpointTable();

  /** `first` is the log offset of the line. Throws `InputError` if there are too many. */
  count(second: number, { bytes, from, to, hasId, hasQuery }: EndpointKey, first: number): void {
    this.requests++;
    if (hasQuery) this.withQuery++;
    if (hasId) this.withId++;
    this.seconds.add(second, 1);
    this.table.add(bytes, from, to, 1, first);
  }

  /**
   * `line` is one-based. `text`, the beginning of the line, is called only for the first with a
   * reason.
   */
  countMalformed(reason: MalformedReason, offset: number, line: number, text: () => string): void {
    this.malformedByReason[reason]++;
    const first = this.firstByReason[reason];
    if (first !== undefined && first.offset <= offset) return;
    this.firstByReason[reason] = { reason, offset, line, text: text() };
  }

  malformedLines(): MalformedLine[] {
    return Object.values(this.firstByReason).sort((a, b) => a.offset - b.offset);
  }

  /**
   * Increases the other's log offsets by `bytes` and line numbers by `lines`. Throws `InputError`
   * if there are too many.
   */
  merge(other: TallyData, bytes: number, lines: number): void {
    this.requests += other.requests;
    if (this.requests > MAX_REQUESTS) {
      const message = `could not merge the logs: they contain more than ${MAX_REQUESTS} requests`;
      throw new InputError(message, { source: "access log" });
    }
    this.withQuery += other.withQuery;
    this.withId += other.withId;
    this.withoutZone ||= other.withoutZone;
    for (const reason of MALFORMED_REASONS) {
      this.malformedByReason[reason] += other.malformed[reason];
    }
    for (const found of Object.values(other.firstMalformed)) {
      this.#mergeMalformed(found, bytes, lines);
    }
    this.seconds.merge(other.seconds);
    this.table.merge(other.endpoints, bytes);
  }

  /** Adds up the counts of endpoints that get the same name. */
  rename(nameOf: (name: string) => string): void {
    const renamed = new EndpointTable();
    const encoder = new TextEncoder();
    for (const [name, count, first] of this.table.entries()) {
      const key = encoder.encode(nameOf(name));
      renamed.add(key, 0, key.length, count, first);
    }
    this.table = renamed;
  }

  /** Shares the arrays of this tally. */
  data(): TallyData {
    const { requests, withQuery, withId, withoutZone, seconds } = this;
    return {
      requests,
      withQuery,
      withId,
      withoutZone,
      malformed: this.malformedByReason,
      firstMalformed: this.firstByReason,
      seconds: { pages: seconds.pages, counts: seconds.counts },
      endpoints: this.table.data(),
    };
  }

  #mergeMalformed(found: MalformedLine, bytes: number, lines: number): void {
    const offset = found.offset + bytes;
    const first = this.firstByReason[found.reason];
    if (first !== undefined && first.offset <= offset) return;
    this.firstByReason[found.reason] = { ...found, offset, line: found.line + lines };
  }
}

/** States why a profile is invalid. */
export class InvalidProfile extends Error {}

/** Throws `InvalidProfile` if `schema` refuses the value; `what` describes it. */
export function checked<T>(schema: { parse(value: unknown): T }, value: unknown, what: string): T {
  try {
    return schema.parse(value);
  } catch (error) {
    const [{ path, message }] = (error as ZodError).issues;
    const at = path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`).join("");
    throw new InvalidProfile(`${what}${at && ` at \`${at.replace(/^\./, "")}\``}: ${message}`);
  }
}

const LAST_SECOND = Date.UTC(10_000, 0, 2) / 1_000;

export type Seconds = readonly (readonly [start: number, counts: readonly number[]])[];

/** Returns the number of requests added. */
export function addSeconds(seconds: SecondCounts, ranges: Seconds): number {
  let requests = 0;
  for (const [start, counts] of ranges) {
    if (start + counts.length > LAST_SECOND + 1) {
      throw new InvalidProfile("a range in `seconds` ends after the year 9999");
    }
    counts.forEach((one, i) => seconds.add(start + i, one));
    requests += counts.reduce((sum, one) => sum + one, 0);
  }
  return requests;
}
