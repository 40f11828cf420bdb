import { InputError } from "../../base/errors.ts";
import { enlarged } from "./enlarged.ts";

/** 1 GiB of different keys, in words. */
const MOST_WORDS = 2 ** 28;

/** What a table holds, by index in order of arrival; as one thread can send it to another. */
export interface EndpointColumns {
  readonly size: number;
  /** Keys, each padded with zeros to whole words. */
  readonly words: Int32Array;
  /** Two numbers each: where its key starts, in words, and how long it is, in bytes. */
  readonly keys: Int32Array;
  /** Two numbers each: how often it was counted, and where in the log it was met first. */
  readonly tallies: Float64Array;
}

/**
 * Counts by key, a key being the bytes of `METHOD route`. Keys stay bytes, one behind the other in
 * one array, and are found by hash, so a million of them cost little more than their text; every hit
 * is verified. What is looked at together stands together: most of the time goes into waiting for
 * memory.
 */
export class EndpointTable {
  #size = 0;
  #words = new Int32Array(1 << 14);
  #usedWords = 0;
  #keys = new Int32Array(1 << 11);
  #tallies = new Float64Array(1 << 11);
  /** Open addressing, two numbers a slot: hash, index + 1 or 0 where free; half of them free. */
  #slots = new Int32Array(1 << 12);
  /** Nobody outside knows which keys would collide. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 0;

  /** What it holds; the arrays are its own. */
  get columns(): EndpointColumns {
    return { size: this.#size, words: this.#words, keys: this.#keys, tallies: this.#tallies };
  }

  /**
   * Counts `count` more of the key of `length` bytes that stands in `view` from `start` on, where four
   * bytes more can be read. `first` is where in the log it was met. Throws InputError when there are
   * too many different keys.
   */
  add(view: DataView, start: number, length: number, count: number, first: number): void {
    const hash = hashOf(view, start, length, this.#seed);
    const slots = this.#slots;
    const mask = slots.length - 2;
    for (let slot = hash << 1 & mask; slots[slot + 1] !== 0; slot = slot + 2 & mask) {
      if (slots[slot] !== hash) continue;
      const i = slots[slot + 1] - 1 << 1;
      if (this.#keys[i + 1] !== length) continue;
      if (!holds(this.#words, this.#keys[i], view, start, length)) continue;
      const tallies = this.#tallies;
      tallies[i] += count;
      if (first < tallies[i + 1]) tallies[i + 1] = first;
      return;
    }
    this.#insert(view, start, length, hash, count, first);
  }

  /** Adds what another table holds, `shift` bytes further on in the log. */
  merge({ size, words, keys, tallies }: EndpointColumns, shift: number): void {
    const view = new DataView(words.buffer);
    for (let i = 0; i < size * 2; i += 2) {
      this.add(view, keys[i] * 4, keys[i + 1], tallies[i], tallies[i + 1] + shift);
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
    const i = this.#size++ * 2;
    this.#makeRoom(wordCount);
    this.#keys[i] = this.#usedWords;
    this.#keys[i + 1] = length;
    this.#tallies[i] = count;
    this.#tallies[i + 1] = first;
    for (let at = 0; at < length; at += 4) {
      this.#words[this.#usedWords++] = wordAt(view, start + at, length - at);
    }
    occupy(this.#slots, hash, this.#size);
  }

  #makeRoom(wordCount: number): void {
    // One word more, for those who read four bytes from the last one on.
    this.#words = enlarged(this.#words, this.#usedWords + wordCount + 1);
    this.#keys = enlarged(this.#keys, this.#size * 2);
    this.#tallies = enlarged(this.#tallies, this.#size * 2);
    if (this.#size * 4 <= this.#slots.length) return;
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    for (let slot = 0; slot < old.length; slot += 2) {
      if (old[slot + 1] !== 0) occupy(this.#slots, old[slot], old[slot + 1]);
    }
  }
}

function occupy(slots: Int32Array, hash: number, entry: number): void {
  const mask = slots.length - 2;
  let slot = hash << 1 & mask;
  while (slots[slot + 1] !== 0) slot = slot + 2 & mask;
  slots[slot] = hash;
  slots[slot + 1] = entry;
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
