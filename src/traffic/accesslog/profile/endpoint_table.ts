import { ByteIndex } from "../../../base/byte_index.ts";
import { InputError } from "../../../base/errors.ts";
import { growArray } from "./byte_arrays.ts";

/** An endpoint and its number of requests. */
export interface EndpointCount {
  readonly method: string;
  /** Path escaped as in a plan: `${vars.id}` replaces each id, `$${` each `${`. */
  readonly route: string;
  readonly count: number;
}

const MAX_BYTES = 2 ** 30;

/** Can be sent to another thread. */
export interface EndpointData {
  /** `METHOD route`. */
  readonly keys: ReturnType<ByteIndex["data"]>;
  readonly counts: Uint32Array;
  readonly firsts: Float64Array;
}

/** Counts requests by `METHOD route`. */
export class EndpointTable {
  readonly #keys = new ByteIndex();
  #counts = new Uint32Array(1 << 8);
  #firsts = new Float64Array(1 << 8);

  get size(): number {
    return this.#keys.size;
  }

  /** `first` is the log offset of the first. Throws `InputError` if keys need too much memory. */
  add(bytes: Uint8Array, from: number, to: number, count: number, first: number): void {
    const known = this.size;
    const key = this.#keys.number(bytes, from, to);
    if (key === known) this.#insert(key);
    this.#counts[key] += count;
    if (first < this.#firsts[key]) this.#firsts[key] = first;
  }

  #insert(key: number): void {
    if (this.#keys.bytes > MAX_BYTES) {
      throw new InputError(
        "cannot read the log: its distinct paths need more than 1 GiB of memory; convert only part of the log",
        { source: "access log" },
      );
    }
    this.#counts = growArray(this.#counts, key + 1);
    this.#firsts = growArray(this.#firsts, key + 1);
    this.#firsts[key] = Infinity;
  }

  /** Increases the log offsets of the other table by `shift`. */
  merge({ keys: { bytes, ends }, counts, firsts }: EndpointData, shift: number): void {
    for (let i = 0; i < counts.length; i++) {
      this.add(bytes, ends[i - 1] ?? 0, ends[i], counts[i], firsts[i] + shift);
    }
  }

  data(): EndpointData {
    return {
      keys: this.#keys.data(),
      counts: this.#counts.slice(0, this.size),
      firsts: this.#firsts.slice(0, this.size),
    };
  }

  /** In order of first appearance in the log. The key is `METHOD route`. */
  *entries(): Generator<[key: string, count: number, first: number]> {
    const decoder = keyDecoder();
    const order = this.#numbers().sort((a, b) => this.#firsts[a] - this.#firsts[b]);
    for (const i of order) {
      yield [decoder.decode(this.#keys.at(i)), this.#counts[i], this.#firsts[i]];
    }
  }

  /** Most requests first, then in order of first appearance. */
  top(count: number): EndpointCount[] {
    const compare = (a: number, b: number) =>
      this.#counts[b] - this.#counts[a] || this.#firsts[a] - this.#firsts[b];
    // Sorts only the endpoints that may be among the first, because comparisons are slow.
    const counts = this.#counts.slice(0, this.size).sort();
    const least = counts[Math.max(0, this.size - count)] ?? 0;
    const found = this.#numbers().filter((i) => this.#counts[i] >= least).sort(compare)
      .subarray(0, count);
    const decoder = keyDecoder();
    return Array.from(found, (i) => {
      const text = decoder.decode(this.#keys.at(i));
      const space = text.indexOf(" ");
      return { method: text.slice(0, space), route: text.slice(space + 1), count: this.#counts[i] };
    });
  }

  /** Requests to endpoints whose key satisfies `matches`. */
  countWhere(matches: (key: Uint8Array) => boolean): number {
    return this.#numbers().reduce(
      (sum, i) => matches(this.#keys.at(i)) ? sum + this.#counts[i] : sum,
      0,
    );
  }

  #numbers(): Uint32Array {
    return Uint32Array.from({ length: this.size }, (_, i) => i);
  }
}

function keyDecoder(): TextDecoder {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
}
