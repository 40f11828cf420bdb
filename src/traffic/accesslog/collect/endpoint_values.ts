import * as z from "zod";
import { ByteIndex } from "../../../base/byte_index.ts";
import { sum } from "../../../base/format.ts";
import { growArray, LEVELS, mixBits, sampleLevel, stableHash } from "../profile/byte_arrays.ts";
import { checked, InvalidProfile } from "../profile/parse_profile.ts";
import type { LogRequest } from "../read/log_request.ts";
import {
  type CollectorKind,
  type LogCollector,
  NumberCache,
  type RequestPart,
} from "./collector.ts";

/** Longer values, such as query strings, are ignored. */
const MAX_VALUE_BYTES = 8_192;
const SEED = 0x243f6a88;
/** Hash bits per sampling level: each has a quarter of the requests of the preceding one. */
const LEVEL_BITS = 2;

/** A value and the number of requests that contain it. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** Writes a value to `out`. Returns its length, or -1 if absent or `out` is too small. */
export type ValueReader = (request: LogRequest, out: Uint8Array) => number;

/**
 * Collects the values of one part of each request, such as the ids in its path, by endpoint. Counts
 * are exact up to a number of distinct values; beyond, they are of a sample. A function of
 * endpoint, value and second decides, so the sample depends neither on the order nor on the parts
 * of the log.
 */
export class EndpointValues implements LogCollector {
  readonly kind: CollectorKind;
  readonly parts: readonly RequestPart[];
  readonly #capacity: number;
  readonly #read: ValueReader;
  #endpoints = new ByteIndex();
  #endpointHashes: number[] = [];
  #values = new ByteIndex();
  #hashes = new Int32Array(1 << 10);
  #firsts = new Float64Array(1 << 10);
  #counts: (Uint32Array | undefined)[] = new Array(LEVELS).fill(undefined);
  #level = 0;
  readonly #known = new NumberCache();
  readonly #key = new Uint8Array(NUMBER_BYTES + MAX_VALUE_BYTES);
  readonly #value = this.#key.subarray(NUMBER_BYTES);
  readonly #number = new DataView(this.#key.buffer);

  /** Counts up to `capacity` distinct values exactly, across all endpoints. */
  constructor(kind: CollectorKind, capacity: number, read: ValueReader) {
    this.kind = kind;
    this.parts = ["query"];
    this.#capacity = capacity;
    this.#read = read;
  }

  /** False if the values are a sample. */
  get isExact(): boolean {
    return this.#level === 0;
  }

  /** Number of requests of the log that each counted request represents: 1, 4, 16, … */
  get oneIn(): number {
    return 2 ** (LEVEL_BITS * this.#level);
  }

  add(request: LogRequest): void {
    const length = this.#read(request, this.#value);
    if (length < 0) return;
    const endpoint = this.#findEndpoint(request);
    const keyLength = NUMBER_BYTES + length;
    let value = -1;
    let hash = 0;
    // In a sample, most requests are skipped, and hashing one is faster than finding its value.
    if (this.#level > 0) {
      hash = this.#hashRequest(request, endpoint, keyLength);
      if (levelOf(hash, request) < this.#level) return;
    }
    if (endpoint >= 0) {
      this.#number.setUint32(0, endpoint);
      value = this.#values.find(this.#key, 0, keyLength);
    }
    if (this.#level === 0) {
      hash = value >= 0 ? this.#hashes[value] : this.#hashRequest(request, endpoint, keyLength);
    }
    const level = levelOf(hash, request);
    if (value < 0) {
      if (endpoint < 0) {
        const { bytes, from, to } = request.key;
        this.#number.setUint32(0, this.#addEndpoint(bytes, from, to));
      }
      value = this.#insert(keyLength, hash);
    }
    this.#count(value, level, 1);
    if (request.offset < this.#firsts[value]) this.#firsts[value] = request.offset;
    while (this.#values.size > this.#capacity) this.#raise(this.#level + 1);
  }

  /** Stable hash of a request's endpoint and value. `endpoint` is -1 if its number is unknown. */
  #hashRequest(request: LogRequest, endpoint: number, keyLength: number): number {
    let hash: number;
    if (endpoint >= 0) hash = this.#endpointHashes[endpoint];
    else {
      const { bytes, from, to } = request.key;
      hash = stableHash(SEED, bytes, from, to);
    }
    return stableHash(hash, this.#key, NUMBER_BYTES, keyLength);
  }

  #addEndpoint(bytes: Uint8Array, from: number, to: number): number {
    const endpoint = this.#endpoints.number(bytes, from, to);
    if (endpoint === this.#endpointHashes.length) {
      this.#endpointHashes.push(stableHash(SEED, bytes, from, to));
    }
    return endpoint;
  }

  /** Returns the number assigned to a request's endpoint, or -1 if the endpoint is unknown. */
  #findEndpoint(request: LogRequest): number {
    const known = this.#known.get(request);
    if (known >= 0) return known;
    const { bytes, from, to } = request.key;
    const endpoint = this.#endpoints.find(bytes, from, to);
    if (endpoint >= 0) this.#known.set(request, endpoint);
    return endpoint;
  }

  /** `["METHOD route", [[value, first, requests at each level, …]]]`; `first` is 0 in a sample. */
  toJson(): unknown {
    const decoder = new TextDecoder();
    const rows: ValueRow[][] = Array.from({ length: this.#endpoints.size }, () => []);
    for (let value = 0; value < this.#values.size; value++) {
      const { endpoint, text } = keyAt(this.#values, value);
      const counts = this.#countsOf(value);
      while (counts.length > 1 && counts.at(-1) === 0) counts.pop();
      const first = this.isExact ? this.#firsts[value] : 0;
      rows[endpoint].push([decoder.decode(text), first, ...counts]);
    }
    const endpoints = rows.map((list, endpoint) =>
      [
        decoder.decode(this.#endpoints.at(endpoint)),
        list.sort((a, b) => a[1] - b[1] || compareText(a[0], b[0])),
      ] as const
    );
    return { level: this.#level, endpoints: endpoints.sort(([a], [b]) => compareText(a, b)) };
  }

  merge(json: unknown, bytes: number): void {
    const { level, endpoints } = checked(VALUES, json, "the record of collected values");
    if (level > this.#level) this.#raise(level);
    const encoder = new TextEncoder();
    for (const [name, rows] of endpoints) {
      const endpoint = encoder.encode(name);
      for (const [value, first, ...counts] of rows) {
        const text = encoder.encode(value);
        if (text.length > MAX_VALUE_BYTES || counts.length > LEVELS - level) {
          throw new InvalidProfile(
            "a collected value is too long, or has too many sampling levels",
          );
        }
        this.#addCounts(endpoint, text, first + bytes, counts, level);
      }
    }
    while (this.#values.size > this.#capacity) this.#raise(this.#level + 1);
  }

  /** `counts` are those from the sampling level `from` on. */
  #addCounts(
    endpoint: Uint8Array,
    text: Uint8Array,
    first: number,
    counts: readonly number[],
    from: number,
  ): void {
    const kept = Math.max(0, this.#level - from);
    if (!counts.some((count, i) => i >= kept && count > 0)) return;
    const number = this.#addEndpoint(endpoint, 0, endpoint.length);
    this.#number.setUint32(0, number);
    this.#value.set(text);
    const length = NUMBER_BYTES + text.length;
    let value = this.#values.find(this.#key, 0, length);
    if (value < 0) {
      const hash = stableHash(this.#endpointHashes[number], this.#key, NUMBER_BYTES, length);
      value = this.#insert(length, hash);
    }
    for (let i = kept; i < counts.length; i++) {
      if (counts[i] > 0) this.#count(value, from + i, counts[i]);
    }
    if (first < this.#firsts[value]) this.#firsts[value] = first;
  }

  /** Requests at each counted sampling level. */
  #countsOf(value: number): number[] {
    return this.#counts.slice(this.#level).map((counts) => counts?.[value] ?? 0);
  }

  /** Most frequent first; ties in order of first occurrence, or of bytes in a sample. */
  forEndpoints(endpoints: readonly string[]): ValueCount[][] {
    const encoder = new TextEncoder();
    const decoder = new TextDecoder();
    const numbers = endpoints.map((endpoint) => this.#endpoints.find(encoder.encode(endpoint)));
    const values = new Map<number, (ValueCount & { first: number })[]>(
      numbers.map((number) => [number, []]),
    );
    for (let value = 0; value < this.#values.size; value++) {
      const { endpoint, text } = keyAt(this.#values, value);
      values.get(endpoint)?.push({
        value: decoder.decode(text),
        count: sum(this.#countsOf(value)) * this.oneIn,
        first: this.isExact ? this.#firsts[value] : 0,
      });
    }
    for (const list of values.values()) {
      list.sort((a, b) => b.count - a.count || a.first - b.first || compareText(a.value, b.value));
    }
    return numbers.map((number) =>
      values.get(number)!.map(({ value, count }) => ({ value, count }))
    );
  }

  /** Adds the value whose key is in the first `length` bytes of `#key`. Returns its number. */
  #insert(length: number, hash: number): number {
    const value = this.#values.number(this.#key, 0, length);
    this.#hashes = growArray(this.#hashes, value + 1);
    this.#firsts = growArray(this.#firsts, value + 1);
    this.#hashes[value] = hash;
    this.#firsts[value] = Infinity;
    return value;
  }

  #count(value: number, level: number, requests: number): void {
    let counts = this.#counts[level] ??= new Uint32Array(1 << 10);
    if (value >= counts.length) counts = this.#counts[level] = growArray(counts, value + 1);
    counts[value] += requests;
  }

  /** Drops requests below a sampling level, and values that occur only in these. */
  #raise(level: number): void {
    const [from, endpoints, values, firsts] = [
      this.#level,
      this.#endpoints,
      this.#values,
      this.#firsts,
    ];
    const before = Array.from({ length: values.size }, (_, value) => this.#countsOf(value));
    this.#level = level;
    this.#known.clear();
    [this.#endpoints, this.#values] = [new ByteIndex(), new ByteIndex()];
    this.#endpointHashes = [];
    [this.#hashes, this.#firsts] = [new Int32Array(1 << 10), new Float64Array(1 << 10)];
    this.#counts = new Array(LEVELS).fill(undefined);
    for (const [value, counts] of before.entries()) {
      const { endpoint, text } = keyAt(values, value);
      this.#addCounts(endpoints.at(endpoint), text, firsts[value], counts, from);
    }
  }
}

/** The endpoint's number and the value of a key. */
function keyAt(values: ByteIndex, value: number): { endpoint: number; text: Uint8Array } {
  const key = values.at(value);
  const endpoint = new DataView(key.buffer, key.byteOffset).getUint32(0);
  return { endpoint, text: key.subarray(NUMBER_BYTES) };
}

function levelOf(hash: number, { second }: LogRequest): number {
  return sampleLevel(mixBits(hash ^ Math.imul(second | 0, 0x9e3779b1)), LEVEL_BITS);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A value, the log offset of its first request, and its requests at each sampling level. */
type ValueRow = readonly [value: string, first: number, ...counts: number[]];

/** The key of a value is the number of its endpoint (u32, big-endian), and the value. */
const NUMBER_BYTES = 4;

const COUNT = z.int().min(0);
const VALUES = z.object({
  level: z.int().min(0).max(LEVELS - 1),
  endpoints: z.array(
    z.tuple([z.string(), z.array(z.tuple([z.string(), COUNT], COUNT.max(2 ** 32 - 1)))]),
  ),
});
