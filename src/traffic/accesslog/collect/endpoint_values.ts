import { ByteIndex } from "../../../base/byte_index.ts";
import { CountingSample } from "./counting_sample.ts";
import type { LogRequest } from "../read/log_request.ts";
import type { RequestCollector } from "../read/request_use.ts";

/**
 * Maximum number of endpoints whose values are collected. Requests to further endpoints are ignored.
 */
const MAX_ENDPOINTS = 100_000;
/**
 * Maximum length of a collected value, such as a query string, in bytes. Longer values are ignored.
 */
const MAX_VALUE_BYTES = 8_192;
const NUMBER_BYTES = 4;

/** A value and the number of requests that contain it. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/**
 * Extracts a value, such as the query string, from a request and writes it to `out`. Returns the
 * number of bytes written, or -1 if the request has no such value or `out` is too small.
 */
export type ValueReader = (request: LogRequest, out: Uint8Array) => number;

/** Collects the values of one part of each request, such as the ids in its path, by endpoint. */
export class EndpointValues implements RequestCollector {
  readonly #endpoints = new ByteIndex();
  readonly #sample: CountingSample;
  readonly #read: ValueReader;
  /**
   * Buffer for a key of the sample: the number of an endpoint (u32), followed by one of its values.
   */
  readonly #key = new Uint8Array(NUMBER_BYTES + MAX_VALUE_BYTES);
  readonly #number = new DataView(this.#key.buffer);

  /**
   * Creates a collector that counts up to `capacity` distinct values exactly, across all endpoints.
   * If there are more, it keeps a sample. `read` extracts the value from a request.
   */
  constructor(capacity: number, read: ValueReader) {
    this.#sample = new CountingSample(capacity);
    this.#read = read;
  }

  /** True if every value is included with its exact count; false if the values are a sample. */
  get isExact(): boolean {
    return this.#sample.isExact;
  }

  add(request: LogRequest): void {
    const length = this.#read(request, this.#key.subarray(NUMBER_BYTES));
    if (length < 0) return;
    const { view, start, length: size } = request.key.route;
    const key = new Uint8Array(view.buffer, view.byteOffset + start, size);
    const known = this.#endpoints.find(key);
    if (known < 0 && this.#endpoints.size === MAX_ENDPOINTS) return;
    this.#number.setUint32(0, known < 0 ? this.#endpoints.number(key) : known);
    this.#sample.add(this.#key.subarray(0, NUMBER_BYTES + length));
  }

  /**
   * Returns a list of values for each of `endpoints` (`METHOD route`), in the same order. Each list
   * is sorted by number of requests, highest first. Equally frequent values are in order of first
   * occurrence. The list for an unknown endpoint is empty.
   */
  forEndpoints(endpoints: readonly string[]): ValueCount[][] {
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
