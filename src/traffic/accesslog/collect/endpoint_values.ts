import * as z from "zod";
import { ByteIndex } from "../../../base/byte_index.ts";
import {
  type ByteStrings,
  growArray,
  LEVELS,
  mixBits,
  packBytes,
  packStrings,
  sampleLevel,
  stableHash,
  stringAt,
} from "../profile/byte_arrays.ts";
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

  /** Packed, because nested lists of many values take long to send to another thread. */
  data(): ValueData {
    return {
      level: this.#level,
      endpoints: packStrings(this.#endpoints),
      values: packStrings(this.#values),
      firsts: this.#firsts.slice(0, this.#values.size),
      counts: this.#counts.slice(),
    };
  }

  merge(collected: unknown, bytes: number): void {
    const data = isPacked(collected) ? collected : parseValues(collected, MAX_VALUE_BYTES);
    if (data.level > this.#level) this.#raise(data.level);
    for (let value = 0; value < data.values.ends.length; value++) {
      if (!isCounted(data.counts, value, this.#level)) continue;
      const key = stringAt(data.values, value);
      this.#key.set(key);
      const name = stringAt(data.endpoints, this.#number.getUint32(0));
      const endpoint = this.#addEndpoint(name, 0, name.length);
      this.#number.setUint32(0, endpoint);
      let known = this.#values.find(this.#key, 0, key.length);
      if (known < 0) {
        const hash = stableHash(this.#endpointHashes[endpoint], key, NUMBER_BYTES, key.length);
        known = this.#insert(key.length, hash);
      }
      for (let level = this.#level; level < LEVELS; level++) {
        const count = data.counts[level]?.[value] ?? 0;
        if (count > 0) this.#count(known, level, count);
      }
      const first = data.firsts[value] + bytes;
      if (first < this.#firsts[known]) this.#firsts[known] = first;
    }
    while (this.#values.size > this.#capacity) this.#raise(this.#level + 1);
  }

  toJson(): unknown {
    return listValues(this.data());
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
      const key = this.#values.at(value);
      const list = values.get(new DataView(key.buffer, key.byteOffset).getUint32(0));
      if (list === undefined) continue;
      let sampled = 0;
      for (let level = this.#level; level < LEVELS; level++) {
        sampled += this.#counts[level]?.[value] ?? 0;
      }
      list.push({
        value: decoder.decode(key.slice(NUMBER_BYTES)),
        count: sampled * this.oneIn,
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
    const before = this.data();
    this.#level = level;
    this.#known.clear();
    [this.#endpoints, this.#values] = [new ByteIndex(), new ByteIndex()];
    this.#endpointHashes = [];
    [this.#hashes, this.#firsts] = [new Int32Array(1 << 10), new Float64Array(1 << 10)];
    this.#counts = new Array(LEVELS).fill(undefined);
    this.merge(before, 0);
  }
}

function isCounted(counts: ValueData["counts"], value: number, from: number): boolean {
  for (let level = from; level < LEVELS; level++) {
    if ((counts[level]?.[value] ?? 0) > 0) return true;
  }
  return false;
}

function levelOf(hash: number, { second }: LogRequest): number {
  return sampleLevel(mixBits(hash ^ Math.imul(second | 0, 0x9e3779b1)), LEVEL_BITS);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A value, the log offset of its first request, and its requests at each sampling level. */
type ValueRow = readonly [value: string, first: number, ...counts: number[]];

const NUMBER_BYTES = 4;

export interface ValueData {
  /** Lowest sampling level that is counted; 0 if all are. */
  readonly level: number;
  readonly endpoints: ByteStrings;
  /** The number of the endpoint (u32, big-endian), followed by the bytes of the value. */
  readonly values: ByteStrings;
  /** Log offset of the first request; meaningful only if `level` is 0. */
  readonly firsts: Float64Array;
  /** By sampling level, the requests for each of `values`; missing ones are 0. */
  readonly counts: readonly (Uint32Array | undefined)[];
}

/** As JSON: `["METHOD route", [[value, first, requests, …]]]`. `first` is 0 for a sample. */
function listValues(data: ValueData): unknown {
  const { level, endpoints, values, firsts, counts } = data;
  const decoder = new TextDecoder();
  const rows: ValueRow[][] = Array.from({ length: endpoints.ends.length }, () => []);
  for (let value = 0; value < values.ends.length; value++) {
    const key = stringAt(values, value);
    const endpoint = new DataView(key.buffer, key.byteOffset).getUint32(0);
    const byLevel = Array.from(
      { length: LEVELS - level },
      (_, i) => counts[level + i]?.[value] ?? 0,
    );
    while (byLevel.length > 1 && byLevel.at(-1) === 0) byLevel.pop();
    const first = level === 0 ? firsts[value] : 0;
    rows[endpoint].push([decoder.decode(key.slice(NUMBER_BYTES)), first, ...byLevel]);
  }
  const all = rows.map((list, i) =>
    [
      decoder.decode(stringAt(endpoints, i).slice()),
      list.sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1)),
    ] as const
  );
  return { level, endpoints: all.sort(([a], [b]) => a < b ? -1 : 1) };
}

const COUNT = z.int().min(0);
const VALUES = z.object({
  level: z.int().min(0).max(LEVELS - 1),
  endpoints: z.array(
    z.tuple([z.string(), z.array(z.tuple([z.string(), COUNT], COUNT.max(2 ** 32 - 1)))]),
  ),
});

/** Parses the result of `listValues`. Throws `InvalidProfile`, also for values above `maxBytes`. */
function parseValues(json: unknown, maxBytes: number): ValueData {
  const read = checked(VALUES, json, "the record of collected values");
  const keys: Uint8Array[] = [];
  const firsts: number[] = [];
  const counts = Array.from({ length: LEVELS }, (): number[] => []);
  const encoder = new TextEncoder();
  for (const [endpoint, [, rows]] of read.endpoints.entries()) {
    for (const [value, first, ...requests] of rows) {
      const text = encoder.encode(value);
      if (text.length > maxBytes || requests.length > LEVELS - read.level) {
        throw new InvalidProfile("a collected value is too long, or has too many sampling levels");
      }
      const key = new Uint8Array(NUMBER_BYTES + text.length);
      new DataView(key.buffer).setUint32(0, endpoint);
      key.set(text, NUMBER_BYTES);
      keys.push(key);
      firsts.push(first);
      counts.forEach((list, level) => list.push(requests[level - read.level] ?? 0));
    }
  }
  return {
    level: read.level,
    endpoints: packBytes(read.endpoints.map(([endpoint]) => encoder.encode(endpoint))),
    values: packBytes(keys),
    firsts: Float64Array.from(firsts),
    counts: counts.map((list) => Uint32Array.from(list)),
  };
}

function isPacked(collected: unknown): collected is ValueData {
  return ArrayBuffer.isView(Object(collected).firsts);
}
