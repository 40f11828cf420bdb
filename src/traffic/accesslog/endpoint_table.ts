import { InputError } from "../../base/errors.ts";
import { enlarged } from "./enlarged.ts";

/** 1 GiB of different keys, in words. */
const MOST_WORDS = 2 ** 28;

/** What a table holds, by index in order of arrival; as one thread can send it to another. */
export interface EndpointColumns {
  readonly size: number;
  /** Keys, each padded with zeros to whole words. */
  readonly words: Int32Array;
  /** Where a key starts, in words. */
  readonly starts: Int32Array;
  /** How long a key is, in bytes. */
  readonly lengths: Int32Array;
  readonly counts: Float64Array;
  /** Byte offset in the log of the line that held the key first. */
  readonly firsts: Float64Array;
}

/**
 * Counts by key, a key being the bytes of `METHOD route`. Keys stay bytes, one behind the other in
 * one array, and are found by hash, so a million of them cost little more than their text; every hit
 * is verified.
 */
export class EndpointTable {
  #size = 0;
  #words = new Int32Array(1 << 14);
  #usedWords = 0;
  #starts = new Int32Array(1 << 10);
  #lengths = new Int32Array(1 << 10);
  #hashes = new Int32Array(1 << 10);
  #counts = new Float64Array(1 << 10);
  #firsts = new Float64Array(1 << 10);
  /** Open addressing: index + 1, or 0 where free; never more than half full. */
  #slots = new Int32Array(1 << 11);
  /** Nobody outside knows which keys would collide. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 0;

  /** What it holds; the arrays are its own. */
  get columns(): EndpointColumns {
    return {
      size: this.#size,
      words: this.#words,
      starts: this.#starts,
      lengths: this.#lengths,
      counts: this.#counts,
      firsts: this.#firsts,
    };
  }

  /**
   * Counts `count` more of the key of `length` bytes that stands in `words` from word `start` on,
   * zeros behind it up to the word's end. `first` is where in the log it was met. Throws InputError
   * when there are too many different keys.
   */
  add(words: Int32Array, start: number, length: number, count: number, first: number): void {
    const wordCount = (length + 3) >> 2;
    const hash = hashOf(words, start, wordCount, this.#seed ^ length);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let entry; (entry = this.#slots[slot]) !== 0; slot = (slot + 1) & mask) {
      const i = entry - 1;
      if (this.#hashes[i] !== hash || this.#lengths[i] !== length) continue;
      if (!sameWords(words, start, this.#words, this.#starts[i], wordCount)) continue;
      this.#counts[i] += count;
      if (first < this.#firsts[i]) this.#firsts[i] = first;
      return;
    }
    this.#insert(words.subarray(start, start + wordCount), hash, length, count, first);
  }

  /** Adds what another table holds, `shift` bytes further on in the log. */
  merge(other: EndpointColumns, shift: number): void {
    for (let i = 0; i < other.size; i++) {
      const first = other.firsts[i] + shift;
      this.add(other.words, other.starts[i], other.lengths[i], other.counts[i], first);
    }
  }

  #insert(key: Int32Array, hash: number, length: number, count: number, first: number): void {
    if (this.#usedWords + key.length > MOST_WORDS) {
      throw new InputError(
        "could not read the log: its different paths take more than 1 GiB; convert a part of it",
        { source: "access log" },
      );
    }
    const i = this.#size++;
    this.#makeRoom(key.length);
    this.#words.set(key, this.#usedWords);
    this.#starts[i] = this.#usedWords;
    this.#usedWords += key.length;
    this.#lengths[i] = length;
    this.#hashes[i] = hash;
    this.#counts[i] = count;
    this.#firsts[i] = first;
    this.#occupy(i);
  }

  #makeRoom(wordCount: number): void {
    this.#words = enlarged(this.#words, this.#usedWords + wordCount);
    this.#starts = enlarged(this.#starts, this.#size);
    this.#lengths = enlarged(this.#lengths, this.#size);
    this.#hashes = enlarged(this.#hashes, this.#size);
    this.#counts = enlarged(this.#counts, this.#size);
    this.#firsts = enlarged(this.#firsts, this.#size);
    if (this.#size * 2 <= this.#slots.length) return;
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let i = 0; i < this.#size - 1; i++) this.#occupy(i);
  }

  #occupy(i: number): void {
    const mask = this.#slots.length - 1;
    let slot = this.#hashes[i] & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = i + 1;
  }
}

function hashOf(words: Int32Array, start: number, count: number, seed: number): number {
  let hash = seed;
  for (let i = start; i < start + count; i++) {
    hash = Math.imul(hash ^ words[i], 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

function sameWords(a: Int32Array, aAt: number, b: Int32Array, bAt: number, count: number): boolean {
  for (let i = 0; i < count; i++) if (a[aAt + i] !== b[bAt + i]) return false;
  return true;
}
