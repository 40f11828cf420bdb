import { ByteIndex } from "../../../../base/byte_index.ts";
import type { LogRequest } from "../../read/log_request.ts";
import type { RequestCollector } from "../../read/request_use.ts";
import { type VisitSequence, VisitTable } from "./visit_table.ts";

const IDLE_MS = 30 * 60_000;
const MAX_OPEN = 200_000;
/**
 * Number of new visits after which idle visits are ended. Doing so more often would be slow,
 * because iterating over a map with many deleted entries takes long.
 */
const SWEEP_VISITS = 8_192;
const MAX_SEQUENCES = 50_000;
const MAX_ENDPOINTS = 100_000;
/**
 * Maximum number of steps in a visit. Longer visits rarely come from a person and rarely follow a
 * pattern.
 */
const MAX_STEPS = 40;

interface OpenVisit {
  last: number;
  readonly steps: number[];
  readonly pauses: number[];
}

/**
 * Groups the requests in a log into visits. A visit consists of the requests from one client
 * address and user agent, and ends after 30 idle minutes. Memory use is bounded: about 200,000 open
 * visits (the one that has been idle longest ends first), 50,000 distinct sequences and 40 steps
 * per visit.
 */
export class Visits implements RequestCollector {
  readonly #endpoints = new ByteIndex();
  /**
   * Open visits by the hash of their client and user agent. The visit that has been idle longest
   * comes first.
   */
  readonly #open = new Map<number, OpenVisit>();
  readonly #table = new VisitTable(MAX_SEQUENCES);
  #begun = 0;
  #visits = 0;
  #tooLong = 0;
  /** Address of the first client in the log. */
  #client: Uint8Array | undefined;
  #hasSeveralClients = false;
  /** Number of requests whose log line has no client address. */
  withoutClient = 0;

  add(request: LogRequest): void {
    if (!request.has("client")) return void this.withoutClient++;
    const endpoint = this.#endpointOf(request);
    if (endpoint < 0) return;
    if (!this.#hasSeveralClients) this.#compareClient(request);
    const visitor = visitorHash(request);
    const { timeMs } = request;
    const open = this.#open.get(visitor);
    this.#open.delete(visitor);
    if (open === undefined || timeMs - open.last > IDLE_MS) {
      if (open !== undefined) this.#end(open);
      this.#open.set(visitor, { last: timeMs, steps: [endpoint], pauses: [] });
      if (++this.#begun % SWEEP_VISITS === 0) this.#endIdle(timeMs);
      return;
    }
    // Lines may be out of order. The last time of a visit never decreases.
    open.pauses.push(Math.max(0, timeMs - open.last));
    open.steps.push(endpoint);
    open.last = Math.max(open.last, timeMs);
    this.#open.set(visitor, open);
    if (open.steps.length > MAX_STEPS) open.steps.length = open.pauses.length = MAX_STEPS + 1;
  }

  /**
   * Ends all open visits. Call it once, after the last request. Returns the number of visits and
   * their sequences, sorted by number of visits, highest first. `left` is the number of visits
   * whose sequence is missing because it is too long or too rare.
   */
  finish(): { sequences: VisitSequence[]; visits: number; left: number } {
    for (const visit of this.#open.values()) this.#end(visit);
    this.#open.clear();
    return {
      sequences: this.#table.sequences(),
      visits: this.#visits,
      left: this.#tooLong + this.#table.dropped,
    };
  }

  /**
   * Address of the only client in the log; undefined if there are several clients or no client
   * addresses.
   */
  get onlyClient(): string | undefined {
    const isOnly = this.#client !== undefined && !this.#hasSeveralClients;
    return isOnly ? new TextDecoder().decode(this.#client) : undefined;
  }

  #compareClient(request: LogRequest): void {
    const client = request.raw("client");
    this.#client ??= client.slice();
    const isSame = client.length === this.#client.length &&
      client.every((byte, i) => byte === this.#client![i]);
    if (!isSame) this.#hasSeveralClients = true;
  }

  /** Returns the endpoint with this number as `METHOD route`. */
  endpoint(number: number): string {
    return new TextDecoder().decode(this.#endpoints.at(number).slice());
  }

  #endpointOf({ key }: LogRequest): number {
    const { view, start, length } = key.route;
    const bytes = new Uint8Array(view.buffer, view.byteOffset + start, length);
    const known = this.#endpoints.find(bytes);
    if (known >= 0 || this.#endpoints.size === MAX_ENDPOINTS) return known;
    return this.#endpoints.number(bytes);
  }

  #endIdle(now: number): void {
    for (const [visitor, visit] of this.#open) {
      if (now - visit.last <= IDLE_MS && this.#open.size <= MAX_OPEN) return;
      this.#open.delete(visitor);
      this.#end(visit);
    }
  }

  #end({ steps, pauses }: OpenVisit): void {
    this.#visits++;
    if (steps.length > MAX_STEPS) this.#tooLong++;
    else this.#table.add(steps, pauses);
  }
}

/** Returns a 53-bit hash of the client address and the user agent of a request. */
function visitorHash(request: LogRequest): number {
  let [a, b] = [0x243f6a88, 0x85a308d3];
  for (const field of ["client", "agent"] as const) {
    for (const byte of request.has(field) ? request.raw(field) : []) {
      a = Math.imul(a ^ byte, 0x9e3779b1);
      b = Math.imul(b ^ byte ^ (a >>> 15), 0x85ebca6b);
    }
    a ^= 0xff;
  }
  a ^= a >>> 16;
  b ^= b >>> 13;
  return (a >>> 0) * 2 ** 21 + (b >>> 11);
}
