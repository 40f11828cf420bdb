import * as z from "zod";
import { SLASH, SPACE } from "../../../base/ascii.ts";
import { ByteIndex } from "../../../base/byte_index.ts";
import { growArray, LEVELS } from "../profile/byte_arrays.ts";
import { checked, InvalidProfile } from "../profile/profile_checks.ts";
import type { LogRequest } from "../read/log_request.ts";
import { writeUrl } from "./collect_values.ts";
import type { LogCollector, RequestPart } from "./collector.ts";
import { EndpointIndex, MAX_VISITOR, visitorLevel, visitorOf } from "./visitor.ts";

const ASTERISK = 0x2a;
const encoder = new TextEncoder();
/** Idle time in milliseconds after which a visit ends. */
const IDLE_MS = 30 * 60_000;
/** Maximum length of a URL, in bytes. Requests with a longer URL are ignored. */
const MAX_URL_BYTES = 8_192;

/** Limits beyond which only a sample of the visitors is kept. */
export interface VisitLimits {
  /** Maximum number of requests. There are at most half as many distinct URLs. */
  readonly requests: number;
}

/** Limits that keep memory use of a collector below about 30 MB. */
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
  /** Number of the URL; see `Visits.url` and `Visits.endpoint`. */
  readonly url: number;
  readonly status: number;
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
 * Keeps the requests of a log by visitor, which is a client address and a user agent. If they
 * exceed a limit, keeps a sample of the visitors: half of them, then a quarter, and so on. Whether
 * a visitor is in the sample depends only on the visitor, so merging the parts of a log in any
 * order gives the state of the whole log. Visits are built afterwards.
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

  /** Creates a collector. `shared` is the memory of an equivalent collector in another thread. */
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

  /**
   * Returns the requests in the order of their offsets, and the URLs in the order of their bytes.
   */
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

  /** Number of visitors of the log that each visitor in the sample represents: 1, 2, 4, … */
  get oneIn(): number {
    return 2 ** this.#level;
  }

  /**
   * Address of the only client in the log; undefined if there are several clients or no client
   * addresses.
   */
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

  /** Returns the visits, ordered by their start. Omits requests for which `keeps` returns false. */
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

  /**
   * Returns the numbers of the requests, those of a visitor together, and ordered by time and
   * offset.
   */
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

  /** Drops all visitors below the sampling level `level`, and the URLs that only they requested. */
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

/** Decodes numbers of `size` bytes each. */
function fromBase64(text: string, size: number): ArrayBuffer {
  try {
    const { buffer } = Uint8Array.fromBase64(text);
    if (buffer.byteLength % size === 0) return buffer;
  } catch {
    // Not base64.
  }
  throw new InvalidProfile("a column of the record of visits is not valid base64");
}
