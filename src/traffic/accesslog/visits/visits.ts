import { ByteIndex } from "../../../base/byte_index.ts";
import type { LogRequest } from "../lines/log_request.ts";
import type { RequestCollector } from "../lines/request_use.ts";
import { type VisitSequence, VisitTable } from "./visit_table.ts";

const IDLE_MS = 30 * 60_000;
const MOST_OPEN = 200_000;
/** Idle visits are looked for when so many more have begun: a map is slow to walk after deletions. */
const SWEEP_VISITS = 8_192;
const MOST_SEQUENCES = 50_000;
const MOST_ENDPOINTS = 100_000;
/** A longer visit is no visit of a person, or no pattern. */
const MOST_STEPS = 40;

interface OpenVisit {
  last: number;
  readonly steps: number[];
  readonly pauses: number[];
}

/**
 * Puts the requests of a log together to visits: those of one client and user agent, until it was idle
 * for 30 minutes. What is kept does not grow with the log: at most 200,000 visits that go on (the one
 * idle longest ends first), 50,000 different sequences and 40 steps of a visit.
 */
export class Visits implements RequestCollector {
  readonly #endpoints = new ByteIndex();
  /** By client and user agent, the one idle longest first. */
  readonly #open = new Map<number, OpenVisit>();
  readonly #table = new VisitTable(MOST_SEQUENCES);
  #begun = 0;
  #visits = 0;
  #tooLong = 0;
  /** The client met first, and whether another was met. */
  #client: Uint8Array | undefined;
  #hasSeveralClients = false;
  /** Requests that named no client. */
  withoutClient = 0;

  /** See `RequestCollector`. */
  add(request: LogRequest): void {
    if (!request.has("client")) return void this.withoutClient++;
    const endpoint = this.#endpointOf(request);
    if (endpoint < 0) return;
    if (!this.#hasSeveralClients) this.#meetClient(request);
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
    // Lines may be out of order: a visit's time never runs back.
    open.pauses.push(Math.max(0, timeMs - open.last));
    open.steps.push(endpoint);
    open.last = Math.max(open.last, timeMs);
    this.#open.set(visitor, open);
    if (open.steps.length > MOST_STEPS) open.steps.length = open.pauses.length = MOST_STEPS + 1;
  }

  /** All visits; those that go on end here. The most frequent sequences come first. */
  finish(): { sequences: VisitSequence[]; visits: number; left: number } {
    for (const visit of this.#open.values()) this.#end(visit);
    this.#open.clear();
    return {
      sequences: this.#table.sequences(),
      visits: this.#visits,
      left: this.#tooLong + this.#table.forgotten,
    };
  }

  /** The client that every request names; undefined if there are several or none. */
  get onlyClient(): string | undefined {
    const isOnly = this.#client !== undefined && !this.#hasSeveralClients;
    return isOnly ? new TextDecoder().decode(this.#client) : undefined;
  }

  #meetClient(request: LogRequest): void {
    const client = request.raw("client");
    this.#client ??= client.slice();
    const isSame = client.length === this.#client.length &&
      client.every((byte, i) => byte === this.#client![i]);
    if (!isSame) this.#hasSeveralClients = true;
  }

  /** The endpoint with this number, as `METHOD route`. */
  endpoint(number: number): string {
    return new TextDecoder().decode(this.#endpoints.at(number).slice());
  }

  #endpointOf({ key }: LogRequest): number {
    const { view, start, length } = key.route;
    const bytes = new Uint8Array(view.buffer, view.byteOffset + start, length);
    const known = this.#endpoints.find(bytes);
    if (known >= 0 || this.#endpoints.size === MOST_ENDPOINTS) return known;
    return this.#endpoints.number(bytes);
  }

  #endIdle(now: number): void {
    for (const [visitor, visit] of this.#open) {
      if (now - visit.last <= IDLE_MS && this.#open.size <= MOST_OPEN) return;
      this.#open.delete(visitor);
      this.#end(visit);
    }
  }

  #end({ steps, pauses }: OpenVisit): void {
    this.#visits++;
    if (steps.length > MOST_STEPS) this.#tooLong++;
    else this.#table.add(steps, pauses);
  }
}

/** A number for a client and its user agent; two of a billion share one by chance. */
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
