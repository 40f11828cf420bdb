import type { Place } from "../../base/errors.ts";
import { type EndpointCount, requestsWhere, topEndpoints } from "./endpoint_order.ts";
import type { MalformedReason } from "./malformed.ts";
import type { SecondRun } from "./second_counts.ts";
import { Tally } from "./tally.ts";

/** When the requests of a log came, in whole seconds. */
export interface TimeSpan {
  /** The first and the last second with a request in it, in UTC from 1970. */
  readonly first: number;
  /** See `first`. */
  readonly last: number;
  /** Seconds from the first to the last, both counted: one busy second is 1. */
  readonly seconds: number;
  /** The most requests in one second. */
  readonly peak: number;
  /** The first second that had so many. */
  readonly peakSecond: number;
}

/** A line that could not be read: why, and where in which input. */
export interface MalformedSample {
  readonly reason: MalformedReason;
  readonly place: Place;
}

/** Where a part of the log came from. */
interface Source {
  readonly name: string;
  readonly bytes: number;
  readonly lines: number;
}

/**
 * What an access log holds as a load: the one value between reading and planning. Profiles of the
 * parts of a log, put one behind the other, equal the profile of the whole.
 */
export class TrafficProfile {
  /** The counts; for those who read logs, not for those who plan. */
  readonly tally: Tally = new Tally();
  readonly #sources: Source[] = [];
  #bytes = 0;
  #lines = 0;

  /** How long the logs are that it was made from, decompressed. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many lines they have, blank ones included. */
  get lines(): number {
    return this.#lines;
  }

  /** Lines that are requests. */
  get requests(): number {
    return this.tally.requests;
  }

  /** Requests that had a query string. */
  get withQuery(): number {
    return this.tally.withQuery;
  }

  /** Requests in whose path an id-like segment was replaced by `${vars.id}`. */
  get withId(): number {
    return this.tally.withId;
  }

  /** Whether the timestamp of a request named no zone, and was read as UTC. */
  get withoutZone(): boolean {
    return this.tally.withoutZone;
  }

  /** Lines that could not be read. */
  get malformed(): number {
    return Object.values(this.tally.malformed).reduce((sum, count) => sum + count, 0);
  }

  /** Lines that could not be read, by what was wrong with them. */
  get malformedByReason(): Readonly<Record<MalformedReason, number>> {
    return this.tally.malformed;
  }

  /** The first line that could not be read; undefined if all could. */
  get firstMalformed(): MalformedSample | undefined {
    return this.malformedSamples()[0];
  }

  /** The first line that could not be read for each reason, in the order of the log. */
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

  /** How many different endpoints there are: a method and a route each. */
  get endpoints(): number {
    return this.tally.endpoints.records.size;
  }

  /** When the requests came; undefined when there is none. Takes time with the length of the span. */
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

  /** Requests per second, averaged over each of `buckets` equal parts of the span; for drawing. */
  rates(buckets: number): number[] {
    const sums = new Array<number>(buckets).fill(0);
    const span = this.span();
    if (span === undefined) return sums;
    for (const [second, requests] of this.tally.seconds.entries()) {
      sums[Math.floor((second - span.first) * buckets / span.seconds)] += requests;
    }
    return sums.map((sum) => sum * buckets / span.seconds);
  }

  /** Every second with requests in it, runs of them put together, in order: the exact rate curve. */
  secondRuns(): Iterable<SecondRun> {
    return this.tally.seconds.runs();
  }

  /** The `count` endpoints with the most requests, the most first; ties as first met in the log. */
  top(count: number): EndpointCount[] {
    return topEndpoints(this.tally.endpoints.records, count);
  }

  /** The requests of the endpoints that `matches` accepts, given the bytes of `METHOD route`. */
  requestsWhere(matches: (key: Uint8Array) => boolean): number {
    return requestsWhere(this.tally.endpoints.records, matches);
  }

  /** Puts the profile of what follows in the log behind this one. */
  append(next: TrafficProfile): void {
    for (const { name, bytes, lines } of next.#sources) {
      this.#sources.push({ name, bytes: bytes + this.#bytes, lines: lines + this.#lines });
    }
    this.tally.merge(next.tally.data(), this.#bytes, this.#lines);
    this.#bytes += next.#bytes;
    this.#lines += next.#lines;
  }

  /** What is counted from now on, until the next call, comes from `name`. */
  beginSource(name: string): void {
    this.#sources.push({ name, bytes: this.#bytes, lines: this.#lines });
  }

  /** The source goes on to here. */
  endSource(bytes: number, lines: number): void {
    this.#bytes = bytes;
    this.#lines = lines;
  }
}
