import type { Place } from "../../../base/errors.ts";
import type { MalformedReason } from "../read/log_format.ts";
import { type EndpointCount, Tally } from "./tally.ts";

/** Time span of the requests in a log, in whole seconds. */
export interface TimeSpan {
  readonly first: number;
  readonly last: number;
  /** Inclusive. */
  readonly seconds: number;
  readonly peak: number;
  /** First second with `peak` requests. */
  readonly peakSecond: number;
}

export interface MalformedSample {
  readonly reason: MalformedReason;
  readonly place: Place;
  /** Absent if the line matches none. */
  readonly format?: string;
}

/** `bytes` and `lines` are totals of all inputs before it. */
interface Source {
  readonly name: string;
  readonly bytes: number;
  readonly lines: number;
}

/**
 * Traffic in access logs, from which plans are built. Appending the profiles of a log's parts in
 * order gives that of the log.
 */
export class TrafficProfile extends Tally {
  readonly #sources: Source[] = [];
  /** Total length of the inputs in bytes, after decompression. */
  bytes = 0;
  /** Including blank ones. */
  lines = 0;

  get malformed(): number {
    return Object.values(this.malformedByReason).reduce((sum, count) => sum + count, 0);
  }

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

  /** Undefined without requests. Takes time proportional to the seconds with requests. */
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
   * Mean requests per second in each of `buckets` parts of the time span, which consist of whole
   * seconds; 0 in a part of 0 seconds.
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

  forEachSecond(visit: (second: number, requests: number) => void): void {
    this.seconds.forEach(visit);
  }

  top(count: number): EndpointCount[] {
    return this.table.top(count);
  }

  countRequestsWhere(matches: (key: Uint8Array) => boolean): number {
    return this.table.countWhere(matches);
  }

  /** Appends the next part of the log. Throws `InputError` if there are too many. */
  append(next: TrafficProfile): void {
    for (const { name, bytes, lines } of next.#sources) {
      this.#sources.push({ name, bytes: bytes + this.bytes, lines: lines + this.lines });
    }
    this.merge(next.data(), this.bytes, this.lines);
    this.bytes += next.bytes;
    this.lines += next.lines;
  }

  /** All that is counted until the next call belongs to this input. */
  beginSource(name: string): void {
    this.#sources.push({ name, bytes: this.bytes, lines: this.lines });
  }

  /** `bytes` and `lines` are totals of all inputs so far. */
  endSource(bytes: number, lines: number): void {
    this.bytes = bytes;
    this.lines = lines;
  }
}

/** A time range in a log, and its number of requests. */
export interface TimeWindow {
  /** Unix seconds; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly requests: number;
}

/**
 * The first of the ranges of `seconds` seconds with the most requests; undefined without requests.
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
