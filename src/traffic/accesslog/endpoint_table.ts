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
   * Counts `count` more of the key of `length` bytes that stands in `view` from `start` on, where four
   * bytes more can be read. `first` is where in the log it was met. Throws InputError when there are
   * too many different keys.
   */
  add(view: DataView, start: number, length: number, count: number, first: number): void {
    const hash = hashOf(view, start, length, this.#seed);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let entry; (entry = this.#slots[slot]) !== 0; slot = (slot + 1) & mask) {
      const i = entry - 1;
      if (this.#hashes[i] !== hash || this.#lengths[i] !== length) continue;
      if (!holds(this.#words, this.#starts[i], view, start, length)) continue;
      this.#counts[i] += count;
      if (first < this.#firsts[i]) this.#firsts[i] = first;
      return;
    }
    this.#insert(view, start, length, hash, count, first);
  }

  /** Adds what another table holds, `shift` bytes further on in the log. */
  merge(other: EndpointColumns, shift: number): void {
    const view = new DataView(other.words.buffer);
    for (let i = 0; i < other.size; i++) {
      const first = other.firsts[i] + shift;
      this.add(view, other.starts[i] * 4, other.lengths[i], other.counts[i], first);
    }
  }

  #insert(
    view: DataView,
    start: number,
    length: number,
    hash: number,
    count: number,
    first: number,
  ): void {
    const wordCount = (length + 3) >> 2;
    if (this.#usedWords + wordCount > MOST_WORDS) {
      throw new InputError(
        "could not read the log: its different paths take more than 1 GiB; convert a part of it",
        { source: "access log" },
      );
    }
    const i = this.#size++;
    this.#makeRoom(wordCount);
    this.#starts[i] = this.#usedWords;
    for (let at = 0; at < length; at += 4) {
      this.#words[this.#usedWords++] = wordAt(view, start + at, length - at);
    }
    this.#lengths[i] = length;
    this.#hashes[i] = hash;
    this.#counts[i] = count;
    this.#firsts[i] = first;
    this.#occupy(i);
  }

  #makeRoom(wordCount: number): void {
    // One word more, for those who read four bytes from the last one on.
    this.#words = enlarged(this.#words, this.#usedWords + wordCount + 1);
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

function hashOf(view: DataView, start: number, length: number, seed: number): number {
  let hash = seed ^ length;
  for (let at = 0; at < length; at += 4) {
    hash = Math.imul(hash ^ wordAt(view, start + at, length - at), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

/** Whether the words from `word` on are those of the key in `view`. */
function holds(
  words: Int32Array,
  word: number,
  view: DataView,
  start: number,
  length: number,
): boolean {
  for (let at = 0; at < length; at += 4, word++) {
    if (words[word] !== wordAt(view, start + at, length - at)) return false;
  }
  return true;
}

/** The four bytes at `at`, those from the `count`-th on zero. */
function wordAt(view: DataView, at: number, count: number): number {
  const word = view.getInt32(at, true);
  return count >= 4 ? word : word & ((1 << (count << 3)) - 1);
}
