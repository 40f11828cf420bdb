import { InputError } from "../../base/errors.ts";
import type { EndpointKey } from "./endpoint_key.ts";
import { type EndpointRecords, EndpointTable } from "./endpoint_records.ts";
import { MALFORMED_REASONS, type MalformedLine, type MalformedReason } from "./malformed.ts";
import { SecondCounts, type SecondPages } from "./second_counts.ts";

/** Maximum number of requests, so that the count of one second never exceeds 32 bits. */
export const MAX_REQUESTS = 2 ** 32 - 1;

/** The first line that could not be read for each reason. */
export type FirstMalformed = Readonly<Partial<Record<MalformedReason, MalformedLine>>>;

/** The properties of a `Tally` as plain data that can be sent to another thread. */
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

/** Counts requests and malformed lines. The merged tallies of all parts equal that of the whole. */
export class Tally {
  /** Lines that are requests. */
  requests = 0;
  /** Requests with a query string. */
  withQuery = 0;
  /** Requests in whose path an id was replaced. */
  withId = 0;
  /** Whether a timestamp without a zone was read as UTC. */
  withoutZone = false;
  /** Lines that could not be read, by reason. */
  readonly malformed = Object.fromEntries(MALFORMED_REASONS.map((reason) => [reason, 0])) as Record<
    MalformedReason,
    number
  >;
  /** The first malformed line for each reason. */
  firstMalformed: Partial<Record<MalformedReason, MalformedLine>> = {};
  /** Requests per second. */
  readonly seconds: SecondCounts = new SecondCounts();
  /** Requests per endpoint. */
  readonly endpoints: EndpointTable = new EndpointTable();

  /** Counts a request for the endpoint `key` in `second`, whose line is at log offset `base + at`. */
  count(second: number, key: EndpointKey, base: number, at: number): void {
    this.requests++;
    if (key.hasQuery) this.withQuery++;
    const { view, start, length, hasId } = key.route;
    if (hasId) this.withId++;
    this.seconds.add(second, 1);
    this.endpoints.add(view, start, length, 1, base, at);
  }

  /** Counts a malformed line; calls `text` only if the line is the first with its reason. */
  countMalformed(reason: MalformedReason, offset: number, line: number, text: () => string): void {
    this.malformed[reason]++;
    const first = this.firstMalformed[reason];
    if (first !== undefined && first.offset <= offset) return;
    this.firstMalformed[reason] = { reason, offset, line, text: text() };
  }

  /** Returns the first malformed line for each reason, in the order of the log. */
  malformedLines(): MalformedLine[] {
    return Object.values(this.firstMalformed).sort((a, b) => a.offset - b.offset);
  }

  /**
   * Adds another tally, whose offsets and line numbers are shifted by `bytes` and `lines`. Throws
   * InputError if there are too many requests, endpoints or seconds.
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

  /** Returns the tally as plain data, which shares the arrays of this tally. */
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
