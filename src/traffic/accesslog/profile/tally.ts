import { InputError } from "../../../base/errors.ts";
import type { EndpointKey } from "../read/endpoint/endpoint_key.ts";
import { iterateEndpoints } from "./endpoint_order.ts";
import { type EndpointRecords, EndpointTable } from "./endpoint_records.ts";
import {
  MALFORMED_REASONS,
  type MalformedLine,
  type MalformedReason,
} from "../read/log_request.ts";
import { SecondCounts, type SecondPages } from "./second_counts.ts";

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
  /** Number of requests. */
  requests = 0;
  /** Number of requests with a query string. */
  withQuery = 0;
  /** Number of requests whose path contained an id that was replaced by a placeholder. */
  withId = 0;
  /** True if a timestamp without a zone was read as UTC. */
  withoutZone = false;
  /** Number of malformed lines, by reason. */
  readonly malformed = Object.fromEntries(MALFORMED_REASONS.map((reason) => [reason, 0])) as Record<
    MalformedReason,
    number
  >;
  /** First malformed line for each reason that occurred. */
  firstMalformed: Partial<Record<MalformedReason, MalformedLine>> = {};
  /** Number of requests in each second. */
  readonly seconds: SecondCounts = new SecondCounts();
  /** Number of requests to each endpoint. */
  endpoints: EndpointTable = new EndpointTable();

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
    this.endpoints.add(view, start, length, 1, base, at);
  }

  /**
   * Counts a malformed line that starts at log offset `offset`. `line` is its one-based number
   * in the log. `text` returns the beginning of the line. It is called only for the first line with
   * this reason.
   */
  countMalformed(reason: MalformedReason, offset: number, line: number, text: () => string): void {
    this.malformed[reason]++;
    const first = this.firstMalformed[reason];
    if (first !== undefined && first.offset <= offset) return;
    this.firstMalformed[reason] = { reason, offset, line, text: text() };
  }

  /** Returns the first malformed line for each reason that occurred, in the order of the log. */
  malformedLines(): MalformedLine[] {
    return Object.values(this.firstMalformed).sort((a, b) => a.offset - b.offset);
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
    for (const reason of MALFORMED_REASONS) this.malformed[reason] += other.malformed[reason];
    for (const found of Object.values(other.firstMalformed)) {
      this.#mergeMalformed(found, bytes, lines);
    }
    this.seconds.merge(other.seconds);
    this.endpoints.merge(other.endpoints, bytes);
  }

  /**
   * Renames each endpoint from `name` to `nameOf(name)`. Adds up the counts of endpoints that get
   * the same name.
   */
  rename(nameOf: (name: string) => string): void {
    const renamed = new EndpointTable();
    const encoder = new TextEncoder();
    for (const [name, count, first] of iterateEndpoints(this.endpoints.records)) {
      const key = encoder.encode(nameOf(name));
      const bytes = new Uint8Array(key.length + 4);
      bytes.set(key);
      renamed.add(new DataView(bytes.buffer), 0, key.length, count, first, 0);
    }
    this.endpoints = renamed;
  }

  /** Returns the counts as data. The result shares the arrays of this tally. */
  data(): TallyData {
    const { requests, withQuery, withId, withoutZone, malformed, firstMalformed } = this;
    const { seconds, endpoints } = this;
    return {
      requests,
      withQuery,
      withId,
      withoutZone,
      malformed,
      firstMalformed,
      seconds: { pages: seconds.pages, counts: seconds.counts },
      endpoints: endpoints.records,
    };
  }

  #mergeMalformed(found: MalformedLine, bytes: number, lines: number): void {
    const offset = found.offset + bytes;
    const first = this.firstMalformed[found.reason];
    if (first !== undefined && first.offset <= offset) return;
    this.firstMalformed[found.reason] = { ...found, offset, line: found.line + lines };
  }
}
