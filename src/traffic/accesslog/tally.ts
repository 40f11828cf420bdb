import { InputError } from "../../base/errors.ts";
import type { EndpointKey } from "./endpoint_key.ts";
import { type EndpointRecords, EndpointTable } from "./endpoint_records.ts";
import { MALFORMED_REASONS, type MalformedLine, type MalformedReason } from "./malformed.ts";
import { SecondCounts, type SecondPages } from "./second_counts.ts";

/** The most requests that are counted: no second can hold more than its 32 bits, then. */
export const MOST_REQUESTS = 2 ** 32 - 1;

/** The first line that could not be read for each reason. */
export type FirstMalformed = Readonly<Partial<Record<MalformedReason, MalformedLine>>>;

/** What was counted in a log or a part of it; plain data, as one thread can send it to another. */
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

/** Counts requests and malformed lines. What parts counted adds up to what the whole would have. */
export class Tally {
  /** Lines that are requests. */
  requests = 0;
  /** Requests that had a query. */
  withQuery = 0;
  /** Requests in whose path an id was replaced. */
  withId = 0;
  /** Whether the timestamp of a request named no zone, and was read as UTC. */
  withoutZone = false;
  /** Lines that could not be read, by reason. */
  readonly malformed = Object.fromEntries(MALFORMED_REASONS.map((reason) => [reason, 0])) as Record<
    MalformedReason,
    number
  >;
  /** The first of them for each reason. */
  firstMalformed: Partial<Record<MalformedReason, MalformedLine>> = {};
  /** Requests per second. */
  readonly seconds: SecondCounts = new SecondCounts();
  /** Requests per endpoint. */
  readonly endpoints: EndpointTable = new EndpointTable();

  /** Counts a request for the endpoint `key` in `second`, whose line starts at byte `base + at`. */
  count(second: number, key: EndpointKey, base: number, at: number): void {
    this.requests++;
    if (key.hasQuery) this.withQuery++;
    const { view, start, length, hasId } = key.route;
    if (hasId) this.withId++;
    this.seconds.add(second, 1);
    this.endpoints.add(view, start, length, 1, base, at);
  }

  /** Counts a line that could not be read; `text` is called only if it is the first of its reason. */
  countMalformed(reason: MalformedReason, offset: number, line: number, text: () => string): void {
    this.malformed[reason]++;
    const first = this.firstMalformed[reason];
    if (first !== undefined && first.offset <= offset) return;
    this.firstMalformed[reason] = { reason, offset, line, text: text() };
  }

  /** The first line that could not be read for each reason, in the order of the log. */
  malformedLines(): MalformedLine[] {
    return Object.values(this.firstMalformed).sort((a, b) => a.offset - b.offset);
  }

  /** Adds what was counted elsewhere, `bytes` and `lines` further on in the log. Throws InputError. */
  merge(other: TallyData, bytes: number, lines: number): void {
    this.requests += other.requests;
    if (this.requests > MOST_REQUESTS) {
      const message = `could not add up the logs: they hold more than ${MOST_REQUESTS} requests`;
      throw new InputError(message, { source: "access log" });
    }
    this.withQuery += other.withQuery;
    this.withId += other.withId;
    this.withoutZone ||= other.withoutZone;
    for (const reason of MALFORMED_REASONS) this.malformed[reason] += other.malformed[reason];
    for (const found of Object.values(other.firstMalformed)) this.#meet(found, bytes, lines);
    this.seconds.merge(other.seconds);
    this.endpoints.merge(other.endpoints, bytes);
  }

  /** The same as plain data; its arrays are this tally's own. */
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

  #meet(found: MalformedLine, bytes: number, lines: number): void {
    const offset = found.offset + bytes;
    const first = this.firstMalformed[found.reason];
    if (first !== undefined && first.offset <= offset) return;
    this.firstMalformed[found.reason] = { ...found, offset, line: found.line + lines };
  }
}
