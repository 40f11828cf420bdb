import * as z from "zod";
import { SLASH, SPACE } from "../../../base/ascii.ts";
import { ByteIndex } from "../../../base/byte_index.ts";
import { growArray, LEVELS, mixBits, sampleLevel, stableHash } from "../profile/byte_arrays.ts";
import { checked, InvalidProfile } from "../profile/parse_profile.ts";
import { FIELD_INDEX } from "../read/log_format.ts";
import type { LogRequest } from "../read/log_request.ts";
import { writeUrl } from "./request_url.ts";
import { EndpointIndex, type LogCollector, type RequestPart } from "./collector.ts";

const ASTERISK = 0x2a;
const encoder = new TextEncoder();
/** Idle time after which a visit ends. */
const IDLE_MS = 30 * 60_000;
/** Requests with a longer URL are ignored. */
const MAX_URL_BYTES = 8_192;

/** Beyond these, only a sample of the visitors is kept. */
export interface VisitLimits {
  /** There are at most half as many distinct URLs. */
  readonly requests: number;
}

/** Keeps memory use of a collector below about 30 MB. */
const LIMITS: VisitLimits = { requests: 250_000 };

/** Consecutive requests of one visitor, with pauses of at most 30 minutes, ordered by time. */
export interface Visit {
  readonly visitor: number;
  readonly requests: readonly VisitRequest[];
}

/** A request of a visit. */
export interface VisitRequest {
  /** Unix milliseconds. */
  readonly time: number;
  /** See `Visits.url` and `Visits.endpoint`. */
  readonly url: number;
  readonly status: number;
}

const { client: CLIENT, agent: AGENT } = FIELD_INDEX;
/** Low bits of a visitor number come from the second of two 32-bit hashes. */
const LOW_BITS = 21;
// `count/assembly/tail.ts` computes the same hashes and repeats these constants.
const SEED = 0x243f6a88;
const OTHER_SEED = 0x85a308d3;
const FACTOR = 0x9e3779b1;
const OTHER_FACTOR = 0x85ebca6b;

const MAX_VISITOR: number = 2 ** (32 + LOW_BITS) - 1;

/** A 53-bit hash of client and user agent, the same in every process and part of a log. */
function visitorOf(request: LogRequest): number {
  if (request.visitor >= 0) return request.visitor;
  return visitorNumber(
    hashVisitor(request, SEED, FACTOR),
    hashVisitor(request, OTHER_SEED, OTHER_FACTOR),
  );
}

export function visitorNumber(hash: number, other: number): number {
  return (hash >>> 0) * 2 ** LOW_BITS + (other >>> (32 - LOW_BITS));
}

function hashVisitor(request: LogRequest, seed: number, factor: number): number {
  const { bytes, spans: { from, to } } = request;
  const agent = request.has("agent") ? stableHash(seed, bytes, from[AGENT], to[AGENT]) : seed;
  return mixBits(stableHash(seed, bytes, from[CLIENT], to[CLIENT]) ^ Math.imul(agent, factor));
}

/** Each level contains half as many visitors as the preceding one. */
function visitorLevel(visitor: number): number {
  return sampleLevel(mixBits(Math.floor(visitor / 2 ** LOW_BITS) | 0), 1);
}

const IS_URL = /^[A-Z][A-Z0-9_-]* (?:\*|\/[!-~]*)$/;
const VISITS = z.object({
  level: z.int().min(0).max(LEVELS - 1),
  visitors: z.string(),
  times: z.string(),
  offsets: z.string(),
  numbers: z.string(),
  statuses: z.string(),
  urls: z.array(z.tuple([z.string().regex(IS_URL), z.string()])),
  client: z.string().optional(),
  areSeveral: z.boolean(),
});

/**
 * Keeps the requests of a log by visitor (client and user agent). Beyond a limit, keeps half of the
 * visitors, then a quarter, …, chosen by visitor alone, so that merging parts in any order gives
 * the state of the whole log.
 */
export class Visits implements LogCollector {
  readonly kind = "visits";
  readonly parts: readonly RequestPart[] = ["client", "agent", "milliseconds", "query"];
  readonly settings: VisitLimits;
  readonly shared: SharedArrayBuffer;
  readonly #kept: Int32Array;
  readonly #text = new Uint8Array(MAX_URL_BYTES + 64);
  #level = 0;
  #size = 0;
  #visitors = new Float64Array(1 << 12);
  #times = new Float64Array(1 << 12);
  #offsets = new Float64Array(1 << 12);
  #numbers = new Uint32Array(1 << 12);
  #statuses = new Uint16Array(1 << 12);
  #urls = new ByteIndex();
  #endpointOf = new Uint32Array(1 << 8);
  readonly #endpoints = new EndpointIndex();
  #names: string[] = [];
  #client: Uint8Array | undefined;
  #areSeveral = false;

  /** `shared` is the memory of an equivalent collector in another thread. */
  constructor(
    limits: VisitLimits = LIMITS,
    shared = new SharedArrayBuffer(LEVELS * Int32Array.BYTES_PER_ELEMENT),
  ) {
    this.settings = limits;
    this.shared = shared;
    this.#kept = new Int32Array(shared);
  }

  get level(): number {
    // Until there is a second client, each client must be compared.
    return this.#areSeveral ? this.#level : 0;
  }

  add(request: LogRequest): void {
    if (!request.has("client")) return;
    if (!this.#areSeveral) this.#compareClient(request.raw("client"));
    const visitor = visitorOf(request);
    const level = visitorLevel(visitor);
    if (level < this.#level) return;
    const text = this.#text;
    const { methodAt: method, target: { bytes, from, to } } = request;
    let length = 0;
    for (let i = method.from; i < method.to; i++) text[length++] = method.bytes[i];
    text[length++] = SPACE;
    if ((to - from) * 3 > MAX_URL_BYTES) return;
    // The target can be a URL without a path.
    if (bytes[from] !== SLASH && bytes[from] !== ASTERISK || from === to) text[length++] = SLASH;
    const url = this.#urls.number(text, 0, writeUrl(bytes, from, to, text, length));
    if (url >= this.#endpointOf.length || this.#endpointOf[url] === 0) {
      this.#setEndpoint(url, this.#endpoints.of(request));
    }
    this.#push(visitor, Math.floor(request.timeMs), request.offset, url, request.status);
    Atomics.add(this.#kept, level, 1);
    while (this.#isFull()) this.#raise(this.#level + 1);
  }

  /** Requests by offset, URLs by bytes. */
  toJson(): unknown {
    const order = Uint32Array.from({ length: this.#size }, (_, i) => i)
      .sort((a, b) => this.#offsets[a] - this.#offsets[b]);
    const decoder = new TextDecoder();
    const names = Array.from({ length: this.#urls.size }, (_, url) => [
      decoder.decode(this.#urls.at(url)),
      decoder.decode(this.#endpoints.at(this.#endpointOf[url] - 1)),
    ]);
    const urls = names.map((_, url) => url).sort((a, b) => names[a][0] < names[b][0] ? -1 : 1);
    const ranks = new Uint32Array(urls.length);
    for (const [rank, url] of urls.entries()) ranks[url] = rank;
    const column = (values: Float64Array) => base64(Float64Array.from(order, (i) => values[i]));
    return {
      level: this.#level,
      visitors: column(this.#visitors),
      times: column(this.#times),
      offsets: column(this.#offsets),
      numbers: base64(Uint32Array.from(order, (i) => ranks[this.#numbers[i]])),
      statuses: base64(Uint16Array.from(order, (i) => this.#statuses[i])),
      urls: urls.map((url) => names[url]),
      ...(this.onlyClient !== undefined && { client: this.onlyClient }),
      areSeveral: this.#areSeveral,
    };
  }

  merge(json: unknown, bytes: number): void {
    const read = checked(VISITS, json, "the record of visits");
    const { level, urls, client } = read;
    const numbers = new Uint32Array(fromBase64(read.numbers, 4));
    const statuses = new Uint16Array(fromBase64(read.statuses, 2));
    const [visitors, times, offsets] = [read.visitors, read.times, read.offsets]
      .map((text) => new Float64Array(fromBase64(text, 8)));
    const isWhole = (list: Float64Array, max: number) =>
      list.every((value) => Number.isInteger(value) && value >= 0 && value <= max);
    if (
      [visitors, times, offsets, statuses].some(({ length }) => length !== numbers.length) ||
      !isWhole(visitors, MAX_VISITOR) || !isWhole(offsets, Number.MAX_SAFE_INTEGER) ||
      !times.every(Number.isSafeInteger) || !numbers.every((number) => number < urls.length)
    ) throw new InvalidProfile("the record of visits is inconsistent");
    if (level > this.#level) this.#raise(level);
    if (client !== undefined) this.#compareClient(encoder.encode(client));
    this.#areSeveral ||= read.areSeveral;
    const known = new Int32Array(urls.length).fill(-1);
    for (let i = 0; i < times.length; i++) {
      if (visitorLevel(visitors[i]) < this.#level) continue;
      const url = numbers[i];
      if (known[url] < 0) {
        const [text, endpoint] = urls[url].map((text) => encoder.encode(text));
        known[url] = this.#urls.number(text);
        this.#setEndpoint(known[url], this.#endpoints.number(endpoint));
      }
      this.#push(visitors[i], times[i], offsets[i] + bytes, known[url], statuses[i]);
    }
    // The other collector may have counted its requests in the same memory.
    this.#kept.fill(0);
    for (let i = 0; i < this.#size; i++) this.#kept[visitorLevel(this.#visitors[i])]++;
    while (this.#isFull()) this.#raise(this.#level + 1);
  }

  /** Visitors of the log that each one in the sample represents: 1, 2, 4, … */
  get oneIn(): number {
    return 2 ** this.#level;
  }

  /** Undefined if there are several clients, or none. */
  get onlyClient(): string | undefined {
    return this.#areSeveral || this.#client === undefined
      ? undefined
      : new TextDecoder().decode(this.#client);
  }

  get hasClients(): boolean {
    return this.#areSeveral || this.#client !== undefined;
  }

  /** Returns the path and query with this number, as they must be sent. */
  url(number: number): string {
    const text = new TextDecoder().decode(this.#urls.at(number));
    return text.slice(text.indexOf(" ") + 1);
  }

  /** Returns the endpoint of the URL with this number, as `METHOD route`. */
  endpoint(number: number): string {
    const endpoint = this.#endpointOf[number] - 1;
    // One string for all URLs of an endpoint.
    return this.#names[endpoint] ??= new TextDecoder().decode(this.#endpoints.at(endpoint));
  }

  /** Ordered by their start. Omits requests for which `keeps` returns false. */
  list(keeps: (url: number) => boolean = () => true): Visit[] {
    const [visitors, times] = [this.#visitors, this.#times];
    const visits: (Visit & { requests: VisitRequest[] })[] = [];
    let previous = -1;
    for (const i of this.#byVisitor()) {
      const url = this.#numbers[i];
      const continues = previous >= 0 && visitors[previous] === visitors[i] &&
        times[i] - times[previous] <= IDLE_MS;
      if (!continues) visits.push({ visitor: visitors[i], requests: [] });
      previous = i;
      if (keeps(url)) {
        visits.at(-1)!.requests.push({ time: times[i], url, status: this.#statuses[i] });
      }
    }
    return visits.filter(({ requests }) => requests.length > 0)
      .sort((a, b) => a.requests[0].time - b.requests[0].time || a.visitor - b.visitor);
  }

  /** Requests of a visitor together, by time and offset. */
  #byVisitor(): Uint32Array {
    const [times, offsets] = [this.#times, this.#offsets];
    // Sorting all requests with a comparison takes several times as long.
    const ids = new Map<number, number>();
    const ends: number[] = [];
    const idOf = new Uint32Array(this.#size);
    for (let i = 0; i < this.#size; i++) {
      const id = ids.get(this.#visitors[i]) ?? ids.size;
      if (id === ids.size) ids.set(this.#visitors[i], ends.push(0) - 1);
      ends[id]++;
      idOf[i] = id;
    }
    for (let id = 1; id < ends.length; id++) ends[id] += ends[id - 1];
    const next = ends.map((_, id) => id === 0 ? 0 : ends[id - 1]);
    const order = new Uint32Array(this.#size);
    for (let i = 0; i < this.#size; i++) order[next[idOf[i]]++] = i;
    for (const [id, end] of ends.entries()) {
      order.subarray(id === 0 ? 0 : ends[id - 1], end)
        .sort((a, b) => times[a] - times[b] || offsets[a] - offsets[b]);
    }
    return order;
  }

  #push(visitor: number, time: number, offset: number, url: number, status: number): void {
    const at = this.#size++;
    if (at >= this.#times.length) {
      this.#visitors = growArray(this.#visitors, at + 1);
      this.#times = growArray(this.#times, at + 1);
      this.#offsets = growArray(this.#offsets, at + 1);
      this.#numbers = growArray(this.#numbers, at + 1);
      this.#statuses = growArray(this.#statuses, at + 1);
    }
    this.#visitors[at] = visitor;
    this.#times[at] = time;
    this.#offsets[at] = offset;
    this.#numbers[at] = url;
    this.#statuses[at] = status;
  }

  #setEndpoint(url: number, endpoint: number): void {
    this.#endpointOf = growArray(this.#endpointOf, url + 1);
    this.#endpointOf[url] = endpoint + 1;
  }

  #compareClient(client: Uint8Array): void {
    this.#client ??= client.slice();
    const known = this.#client;
    this.#areSeveral ||= client.length !== known.length ||
      client.some((byte, i) => byte !== known[i]);
  }

  #isFull(): boolean {
    const { requests } = this.settings;
    if (this.#level === LEVELS - 1) return false;
    if (this.#urls.size > requests / 2) return true;
    let kept = 0;
    for (let level = this.#level; level < LEVELS; level++) kept += this.#kept[level];
    return kept > requests;
  }

  /** Drops visitors below a sampling level, and URLs that only they requested. */
  #raise(level: number): void {
    this.#level = level;
    const [urls, endpointOf, size] = [this.#urls, this.#endpointOf, this.#size];
    [this.#urls, this.#endpointOf, this.#size] = [new ByteIndex(), new Uint32Array(1 << 8), 0];
    const known = new Int32Array(urls.size).fill(-1);
    for (let i = 0; i < size; i++) {
      if (visitorLevel(this.#visitors[i]) < level) continue;
      const old = this.#numbers[i];
      if (known[old] < 0) {
        known[old] = this.#urls.number(urls.at(old));
        this.#setEndpoint(known[old], endpointOf[old] - 1);
      }
      const time = this.#times[i];
      this.#push(this.#visitors[i], time, this.#offsets[i], known[old], this.#statuses[i]);
    }
  }
}

function base64(values: Float64Array | Uint32Array | Uint16Array): string {
  return new Uint8Array(values.buffer).toBase64();
}

function fromBase64(text: string, size: number): ArrayBuffer {
  try {
    const { buffer } = Uint8Array.fromBase64(text);
    if (buffer.byteLength % size === 0) return buffer;
  } catch {
    // Not base64.
  }
  throw new InvalidProfile("a column of the record of visits is not valid base64");
}
