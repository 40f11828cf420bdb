import { InputError } from "../../../base/errors.ts";
import type { EndpointKey } from "../read/endpoint/endpoint_key.ts";
import { MALFORMED_REASONS, type MalformedReason } from "../read/line_splitter.ts";
import type { MalformedLine } from "../read/log_request.ts";
import {
  type EndpointRecords,
  EndpointTable,
  listRecordStarts,
  readRecord,
  recordCount,
  recordFirstSeen,
} from "./endpoint_records.ts";
import { SecondCounts, type SecondPages } from "./second_counts.ts";

/** An endpoint and its number of requests. */
export interface EndpointCount {
  /** HTTP method, as written in the log. */
  readonly method: string;
  /**
   * Normalized path, escaped as in a plan: `${vars.id}` replaces each id, and `$${` replaces each
   * `${` in the log. The path may contain any other character.
   */
  readonly route: string;
  readonly count: number;
}

/**
 * Maximum number of endpoints to select by insertion. Above it, sorting all endpoints is faster.
 */
const FEW = 1_000;

/**
 * Returns the `count` endpoints with the most requests, sorted by number of requests, highest
 * first. Endpoints with the same number of requests are in order of first occurrence.
 */
export function listTopEndpoints(records: EndpointRecords, count: number): EndpointCount[] {
  const { words } = records;
  const starts = listRecordStarts(records);
  const compare = (a: number, b: number) =>
    recordCount(words, b) - recordCount(words, a) ||
    recordFirstSeen(words, a) - recordFirstSeen(words, b);
  const found = count > FEW
    ? Array.from(starts).sort(compare).slice(0, count)
    : selectSmallest(starts, count, compare);
  const decoder = keyDecoder();
  return found.map((start) => {
    const { key, count } = readRecord(records, start);
    const text = decoder.decode(key);
    const space = text.indexOf(" ");
    return { method: text.slice(0, space), route: text.slice(space + 1), count };
  });
}

/**
 * Yields the key (`METHOD route`), the number of requests and the log offset of the first request
 * for each endpoint, in order of first occurrence.
 */
export function* iterateEndpoints(
  records: EndpointRecords,
): Generator<[key: string, count: number, first: number]> {
  const { words } = records;
  const decoder = keyDecoder();
  const byArrival = (a: number, b: number) => recordFirstSeen(words, a) - recordFirstSeen(words, b);
  for (const start of Array.from(listRecordStarts(records)).sort(byArrival)) {
    const { key, count, first } = readRecord(records, start);
    yield [decoder.decode(key), count, first];
  }
}

function keyDecoder(): TextDecoder {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
}

/**
 * Returns the `count` smallest elements of `all` in ascending order, without sorting all elements.
 */
function selectSmallest(
  all: Int32Array,
  count: number,
  compare: (a: number, b: number) => number,
): number[] {
  const found: number[] = [];
  for (const i of all) {
    if (found.length === count && (count === 0 || compare(i, found[count - 1]) >= 0)) continue;
    let at = found.length;
    while (at > 0 && compare(i, found[at - 1]) < 0) at--;
    found.splice(at, 0, i);
    if (found.length > count) found.pop();
  }
  return found;
}

/** Maximum number of requests in a tally, so that the count of one second never exceeds 32 bits. */
export const MAX_REQUESTS = 2 ** 32 - 1;

/** First malformed line for each reason that occurred. */
export type FirstMalformed = Readonly<Partial<Record<MalformedReason, MalformedLine>>>;

/** Counts in a `Tally`, as data that can be sent to another thread. */
export interface TallyData {
  readonly requests: number;
  readonly withQuery: number;
  readonly withId: number;
  readonly withoutZone: boolean;
  readonly malformed: Readonly<Record<MalformedReason, number>>;
  readonly firstMalformed: FirstMalformed;
  readonly seconds: SecondPages;
  readonly endpoints: EndpointRecords;
}

/**
 * Counts the requests and the malformed lines of a log. If the parts of a log are counted
 * separately, merging the tallies gives the tally of the whole log.
 */
export class Tally {
  requests = 0;
  /** Number of requests with a query string. */
  withQuery = 0;
  /** Number of requests whose path contained an id that was replaced by a placeholder. */
  withId = 0;
  /** True if a timestamp without a zone was read as UTC. */
  withoutZone = false;
  readonly malformedByReason = Object.fromEntries(
    MALFORMED_REASONS.map((reason) => [reason, 0]),
  ) as Record<
    MalformedReason,
    number
  >;
  /** First malformed line for each reason that occurred. */
  firstByReason: Partial<Record<MalformedReason, MalformedLine>> = {};
  /** Number of requests in each second. */
  readonly seconds: SecondCounts = new SecondCounts();
  /** Number of requests to each endpoint. */
  table: EndpointTable = new EndpointTable();

  /**
   * Counts one request to the endpoint `key` in the Unix second `second`. The request's line starts
   * at log offset `base + at`. Throws `InputError` if there are too many distinct endpoints or
   * seconds.
   */
  count(second: number, key: EndpointKey, base: number, at: number): void {
    this.requests++;
    if (key.hasQuery) this.withQuery++;
    const { view, start, length, hasId } = key.route;
    if (hasId) this.withId++;
    this.seconds.add(second, 1);
    this.table.add(view, start, length, 1, base, at);
  }

  /**
   * Counts a malformed line that starts at log offset `offset`. `line` is its one-based number
   * in the log. `text` returns the beginning of the line. It is called only for the first line with
   * this reason.
   */
  countMalformed(reason: MalformedReason, offset: number, line: number, text: () => string): void {
    this.malformedByReason[reason]++;
    const first = this.firstByReason[reason];
    if (first !== undefined && first.offset <= offset) return;
    this.firstByReason[reason] = { reason, offset, line, text: text() };
  }

  /** Returns the first malformed line for each reason that occurred, in the order of the log. */
  malformedLines(): MalformedLine[] {
    return Object.values(this.firstByReason).sort((a, b) => a.offset - b.offset);
  }

  /**
   * Adds the counts of another tally. Increases its log offsets by `bytes` and its line numbers by
   * `lines`. Throws `InputError` if there are too many requests, distinct endpoints or seconds.
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

  /**
   * Renames each endpoint from `name` to `nameOf(name)`. Adds up the counts of endpoints that get
   * the same name.
   */
  rename(nameOf: (name: string) => string): void {
    const renamed = new EndpointTable();
    const encoder = new TextEncoder();
    for (const [name, count, first] of iterateEndpoints(this.table.records)) {
      const key = encoder.encode(nameOf(name));
      const bytes = new Uint8Array(key.length + 4);
      bytes.set(key);
      renamed.add(new DataView(bytes.buffer), 0, key.length, count, first, 0);
    }
    this.table = renamed;
  }

  /** Returns the counts as data. The result shares the arrays of this tally. */
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
      endpoints: this.table.records,
    };
  }

  #mergeMalformed(found: MalformedLine, bytes: number, lines: number): void {
    const offset = found.offset + bytes;
    const first = this.firstByReason[found.reason];
    if (first !== undefined && first.offset <= offset) return;
    this.firstByReason[found.reason] = { ...found, offset, line: found.line + lines };
  }
}
