import { InputError, type Place } from "../../../base/errors.ts";
import { MALFORMED_REASONS, type MalformedReason } from "../read/log_format.ts";
import type { EndpointKey } from "../read/log_request.ts";
import { type EndpointCount, EndpointTable } from "./endpoint_table.ts";
import { SecondCounts } from "./second_counts.ts";

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
  readonly seconds: Pick<SecondCounts, "pages" | "counts">;
  readonly endpoints: ReturnType<EndpointTable["data"]>;
}

/** Counts requests and malformed lines. Merging the tallies of a log's parts gives its tally. */
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

  /** `line` is one-based. `text` is called only for the first line with a reason. */
  countMalformed(reason: MalformedReason, offset: number, line: number, text: () => string): void {
    this.malformedByReason[reason]++;
    const first = this.firstByReason[reason];
    if (first !== undefined && first.offset <= offset) return;
    this.firstByReason[reason] = { reason, offset, line, text: text() };
  }

  malformedLines(): MalformedLine[] {
    return Object.values(this.firstByReason).sort((a, b) => a.offset - b.offset);
  }

  /** Shifts the other's log offsets by `bytes` and line numbers by `lines`. Throws `InputError`. */
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

/** Traffic in access logs, from which plans are built. Parts can be appended in order. */
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

  /** Mean requests per second in parts of whole seconds; 0 in a part of 0 seconds. */
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

/** Returns the first range with the most requests; undefined without requests. */
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

export interface MalformedLine {
  readonly reason: MalformedReason;
  /** Zero-based, across all logs in the order in which they are read. */
  readonly offset: number;
  /** One-based, across all logs. */
  readonly line: number;
  /** Beginning of the line, at most 4 KiB of UTF-8. */
  readonly text: string;
  /** Absent if it matches none or is not known yet. */
  readonly format?: string;
}
