import { ByteIndex } from "../../base/byte_index.ts";
import { CountingSample } from "./counting_sample.ts";
import type { LogRequest } from "./lines/log_request.ts";
import type { RequestCollector } from "./lines/request_use.ts";

/** So many endpoints are looked at; what comes for others is not. */
const MOST_ENDPOINTS = 100_000;
/** A longer value is not looked at. */
const MOST_VALUE_BYTES = 8_192;
const NUMBER_BYTES = 4;

/** A value and how often it was met. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** Writes a request's value to `out` and gives its length, -1 when the request has none. */
export type ValueReader = (request: LogRequest, out: Uint8Array) => number;

/** The values that something of the requests took, such as the ids in their paths, by endpoint. */
export class EndpointValues implements RequestCollector {
  readonly #endpoints = new ByteIndex();
  readonly #sample: CountingSample;
  readonly #read: ValueReader;
  /** An endpoint's number and a value of it. */
  readonly #key = new Uint8Array(NUMBER_BYTES + MOST_VALUE_BYTES);
  readonly #number = new DataView(this.#key.buffer);

  /** Of at most `capacity` different values, endpoints taken together; beyond that, a sample of them. */
  constructor(capacity: number, read: ValueReader) {
    this.#sample = new CountingSample(capacity);
    this.#read = read;
  }

  /** Whether the counts are exact and every value is there. */
  get isExact(): boolean {
    return this.#sample.isExact;
  }

  /** See `RequestCollector`. */
  add(request: LogRequest): void {
    const length = this.#read(request, this.#key.subarray(NUMBER_BYTES));
    if (length < 0) return;
    const { view, start, length: size } = request.key.route;
    const key = new Uint8Array(view.buffer, view.byteOffset + start, size);
    const known = this.#endpoints.find(key);
    if (known < 0 && this.#endpoints.size === MOST_ENDPOINTS) return;
    this.#number.setUint32(0, known < 0 ? this.#endpoints.number(key) : known);
    this.#sample.add(this.#key.subarray(0, NUMBER_BYTES + length));
  }

  /**
   * The values of each of these endpoints, `METHOD route` each, the most frequent first, ties as first
   * met; none for an endpoint of which nothing is known.
   */
  of(endpoints: readonly string[]): ValueCount[][] {
    const encoder = new TextEncoder();
    const decoder = new TextDecoder();
    const numbers = endpoints.map((endpoint) => this.#endpoints.find(encoder.encode(endpoint)));
    const values = new Map<number, ValueCount[]>(numbers.map((number) => [number, []]));
    for (const { bytes, count } of this.#sample.entries()) {
      const number = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
      values.get(number)?.push({ value: decoder.decode(bytes.slice(NUMBER_BYTES)), count });
    }
    for (const list of values.values()) list.sort((a, b) => b.count - a.count);
    return numbers.map((number) => values.get(number)!);
  }
}
