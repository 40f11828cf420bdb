import type { Place } from "../../../base/errors.ts";
import type { MalformedReason } from "../read/log_format.ts";
import { type EndpointCount, Tally } from "./tally.ts";

/** Time span of the requests in a log, in whole seconds. */
export interface TimeSpan {
  /** First second with a request, in Unix seconds. */
  readonly first: number;
  /** Last second with a request, in Unix seconds. */
  readonly last: number;
  /** Number of seconds from the first to the last second, inclusive. */
  readonly seconds: number;
  readonly peak: number;
  /** First second with `peak` requests, in Unix seconds. */
  readonly peakSecond: number;
}

export interface MalformedSample {
  readonly reason: MalformedReason;
  readonly place: Place;
  /** Name of the log format that the line matches; absent if it matches none. */
  readonly format?: string;
}

/**
 * One input of the log. `bytes` and `lines` are the total numbers of bytes and lines in all inputs
 * before it.
 */
interface Source {
  readonly name: string;
  readonly bytes: number;
  readonly lines: number;
}

/**
 * Summary of the traffic in one or more access logs, from which plans are built. If parts of a log
 * are read separately, appending their profiles in order gives the profile of the whole log.
 */
export class TrafficProfile extends Tally {
  readonly #sources: Source[] = [];
  /** Total length of the inputs in bytes, after decompression. */
  bytes = 0;
  /** Number of lines in the inputs, including blank ones. */
  lines = 0;

  get malformed(): number {
    return Object.values(this.malformedByReason).reduce((sum, count) => sum + count, 0);
  }

  /** First malformed line in the log; undefined if no line is malformed. */
  get firstMalformed(): MalformedSample | undefined {
    return this.malformedSamples()[0];
  }

  malformedSamples(): MalformedSample[] {
    return this.malformedLines().map(({ reason, offset, line, text, format }) => {
      const source = this.#sources.findLast(({ bytes }) => bytes <= offset)!;
      const place = {
        source: source.name,
        offset: offset - source.bytes,
        line: line - source.lines,
        column: 1,
        snippet: text,
      };
      return { reason, place, ...(format !== undefined && { format }) };
    });
  }

  get endpoints(): number {
    return this.table.size;
  }

  /**
   * Returns the time span of the requests, or undefined if there are none. Takes time proportional
   * to the number of seconds with requests.
   */
  span(): TimeSpan | undefined {
    let first: number | undefined;
    let last = 0;
    let peak = 0;
    let peakSecond = 0;
    this.forEachSecond((second, requests) => {
      first ??= second;
      last = second;
      if (requests > peak) [peak, peakSecond] = [requests, second];
    });
    if (first === undefined) return undefined;
    return { first, last, seconds: last - first + 1, peak, peakSecond };
  }

  /**
   * Returns the mean rate in each of `buckets` parts of the time span, in requests per second, for
   * charts. The parts consist of whole seconds, and their lengths differ by at most one second. A
   * part of 0 seconds has a rate of 0. All rates are 0 if there are no requests.
   */
  rates(buckets: number): number[] {
    const sums = new Array<number>(buckets).fill(0);
    const span = this.span();
    if (span === undefined) return sums;
    this.forEachSecond((second, requests) => {
      sums[Math.floor((second - span.first) * buckets / span.seconds)] += requests;
    });
    const startOf = (bucket: number) => Math.ceil(bucket * span.seconds / buckets);
    return sums.map((sum, i) => sum === 0 ? 0 : sum / (startOf(i + 1) - startOf(i)));
  }

  /**
   * Calls `visit` for each Unix second that has requests, in chronological order, and passes the
   * second and its number of requests.
   */
  forEachSecond(visit: (second: number, requests: number) => void): void {
    this.seconds.forEach(visit);
  }

  /**
   * Returns the `count` endpoints with the most requests, sorted by number of requests, highest
   * first. Endpoints with the same number of requests are in order of first occurrence.
   */
  top(count: number): EndpointCount[] {
    return this.table.top(count);
  }

  /**
   * Returns the total number of requests to endpoints whose key satisfies `matches`. A key is
   * `METHOD route` in UTF-8.
   */
  countRequestsWhere(matches: (key: Uint8Array) => boolean): number {
    return this.table.countWhere(matches);
  }

  /**
   * Appends the profile of the next part of the log. Throws `InputError` if there are too many
   * requests, distinct endpoints or seconds.
   */
  append(next: TrafficProfile): void {
    for (const { name, bytes, lines } of next.#sources) {
      this.#sources.push({ name, bytes: bytes + this.bytes, lines: lines + this.lines });
    }
    this.merge(next.data(), this.bytes, this.lines);
    this.bytes += next.bytes;
    this.lines += next.lines;
  }

  /**
   * Starts the input `name`. Everything that is counted until the next call belongs to this input.
   */
  beginSource(name: string): void {
    this.#sources.push({ name, bytes: this.bytes, lines: this.lines });
  }

  /**
   * Ends the current input. `bytes` and `lines` are the total numbers of bytes and lines in all
   * inputs so far.
   */
  endSource(bytes: number, lines: number): void {
    this.bytes = bytes;
    this.lines = lines;
  }
}

/** A time range in a log, and its number of requests. */
export interface TimeWindow {
  /** First second of the range, in Unix seconds. */
  readonly from: number;
  /** Unix second after the last second of the range. */
  readonly to: number;
  readonly requests: number;
}

/**
 * Returns the range of `seconds` seconds with the most requests. If several ranges have the same
 * number of requests, returns the first one. Returns undefined if the profile has no requests.
 */
export function busiestWindow(
  profile: Pick<TrafficProfile, "forEachSecond">,
  seconds: number,
): TimeWindow | undefined {
  const times: number[] = [];
  const counts: number[] = [];
  let from = -1;
  let most = 0;
  let requests = 0;
  let oldest = 0;
  profile.forEachSecond((second, count) => {
    times.push(second);
    counts.push(count);
    requests += count;
    while (times[oldest] <= second - seconds) requests -= counts[oldest++];
    if (requests > most) [from, most] = [times[oldest], requests];
  });
  return most === 0 ? undefined : { from, to: from + seconds, requests: most };
}
