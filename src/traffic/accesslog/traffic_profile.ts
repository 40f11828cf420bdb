import type { Place } from "../../base/errors.ts";
import { countRequestsWhere, type EndpointCount, listTopEndpoints } from "./endpoint_order.ts";
import type { MalformedReason } from "./malformed.ts";
import type { SecondRun } from "./second_counts.ts";
import { Tally } from "./tally.ts";

/** The period of the requests of a log, in whole seconds. */
export interface TimeSpan {
  /** The first second with a request, in Unix time. */
  readonly first: number;
  /** The last second with a request, in Unix time. */
  readonly last: number;
  /** Number of seconds from the first to the last, inclusive. */
  readonly seconds: number;
  /** Maximum number of requests in one second. */
  readonly peak: number;
  /** The first second with `peak` requests, in Unix time. */
  readonly peakSecond: number;
}

/** A malformed line with its reason and its place in an input. */
export interface MalformedSample {
  readonly reason: MalformedReason;
  readonly place: Place;
}

/** An input of the log, with the bytes and lines before it. */
interface Source {
  readonly name: string;
  readonly bytes: number;
  readonly lines: number;
}

/**
 * The load that an access log contains: the result of reading and the input of planning. The appended
 * profiles of the parts of a log equal the profile of the whole.
 */
export class TrafficProfile {
  /** The counts, for code that reads logs; planning code uses the other members. */
  readonly tally: Tally = new Tally();
  readonly #sources: Source[] = [];
  #bytes = 0;
  #lines = 0;

  /** Length of the decompressed logs in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of lines, including blank ones. */
  get lines(): number {
    return this.#lines;
  }

  /** Lines that are requests. */
  get requests(): number {
    return this.tally.requests;
  }

  /** Requests with a query string. */
  get withQuery(): number {
    return this.tally.withQuery;
  }

  /** Requests in whose path an id-like segment was replaced by `${vars.id}`. */
  get withId(): number {
    return this.tally.withId;
  }

  /** Whether a timestamp without a zone was read as UTC. */
  get withoutZone(): boolean {
    return this.tally.withoutZone;
  }

  /** Lines that could not be read. */
  get malformed(): number {
    return Object.values(this.tally.malformed).reduce((sum, count) => sum + count, 0);
  }

  /** Lines that could not be read, by reason. */
  get malformedByReason(): Readonly<Record<MalformedReason, number>> {
    return this.tally.malformed;
  }

  /** The first line that could not be read; undefined if all could. */
  get firstMalformed(): MalformedSample | undefined {
    return this.malformedSamples()[0];
  }

  /** Returns the first malformed line for each reason, in the order of the log. */
  malformedSamples(): MalformedSample[] {
    return this.tally.malformedLines().map(({ reason, offset, line, text }) => {
      const source = this.#sources.findLast(({ bytes }) => bytes <= offset)!;
      const place = {
        source: source.name,
        offset: offset - source.bytes,
        line: line - source.lines,
        column: 1,
        snippet: text,
      };
      return { reason, place };
    });
  }

  /** Number of different endpoints (pairs of method and route). */
  get endpoints(): number {
    return this.tally.endpoints.records.size;
  }

  /** Returns the period of the requests, or undefined if there is no request. Linear in its length. */
  span(): TimeSpan | undefined {
    let first: number | undefined;
    let last = 0;
    let peak = 0;
    let peakSecond = 0;
    for (const [second, requests] of this.tally.seconds.entries()) {
      first ??= last = second;
      last = second;
      if (requests > peak) [peak, peakSecond] = [requests, second];
    }
    if (first === undefined) return undefined;
    return { first, last, seconds: last - first + 1, peak, peakSecond };
  }

  /** Returns the mean requests per second in each of `buckets` equal parts of the span, for charts. */
  rates(buckets: number): number[] {
    const sums = new Array<number>(buckets).fill(0);
    const span = this.span();
    if (span === undefined) return sums;
    for (const [second, requests] of this.tally.seconds.entries()) {
      sums[Math.floor((second - span.first) * buckets / span.seconds)] += requests;
    }
    return sums.map((sum) => sum * buckets / span.seconds);
  }

  /** Returns all seconds with requests as runs of consecutive seconds: the exact rate curve. */
  secondRuns(): Iterable<SecondRun> {
    return this.tally.seconds.runs();
  }

  /** Returns the `count` endpoints with the most requests, ties in order of first occurrence. */
  top(count: number): EndpointCount[] {
    return listTopEndpoints(this.tally.endpoints.records, count);
  }

  /** Returns the number of requests of endpoints whose key (bytes of `METHOD route`) matches. */
  countRequestsWhere(matches: (key: Uint8Array) => boolean): number {
    return countRequestsWhere(this.tally.endpoints.records, matches);
  }

  /** Appends the profile of the next part of the log. */
  append(next: TrafficProfile): void {
    for (const { name, bytes, lines } of next.#sources) {
      this.#sources.push({ name, bytes: bytes + this.#bytes, lines: lines + this.#lines });
    }
    this.tally.merge(next.tally.data(), this.#bytes, this.#lines);
    this.#bytes += next.#bytes;
    this.#lines += next.#lines;
  }

  /** Starts the input called `name`; all counts up to the next call belong to it. */
  beginSource(name: string): void {
    this.#sources.push({ name, bytes: this.#bytes, lines: this.#lines });
  }

  /** Ends the current input at this offset and line of the log. */
  endSource(bytes: number, lines: number): void {
    this.#bytes = bytes;
    this.#lines = lines;
  }
}
