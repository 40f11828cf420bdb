import { InputError } from "../../base/errors.ts";
import { enlarged } from "./enlarged.ts";

/** 1 GiB of different keys, in words. */
const MOST_WORDS = 2 ** 28;

/** What a table holds, in order of arrival; as one thread can send it to another. */
export interface EndpointRecords {
  readonly size: number;
  /**
   * One record behind the other: the endpoint's index, its key's length in bytes, the key, zeros up to
   * the end of its last word.
   */
  readonly words: Int32Array;
  /** Two numbers for each index: how often it was counted, and where in the log it was met first. */
  readonly tallies: Float64Array;
}

/** Words of a record before its key. */
export const RECORD_HEAD = 2;

/** The word at which the record behind the one at `record` starts. */
export function nextRecord(words: Int32Array, record: number): number {
  return record + RECORD_HEAD + ((words[record + 1] + 3) >> 2);
}

/**
 * Counts by key, a key being the bytes of `METHOD route`. Keys stay bytes, one behind the other in
 * one array, and are found by hash, so a million of them cost little more than their text; every hit
 * is verified. What is looked at together stands together, for most of the time goes into waiting for
 * memory.
 */
export class EndpointTable {
  #size = 0;
  #words = new Int32Array(1 << 14);
  #usedWords = 0;
  #tallies = new Float64Array(1 << 11);
  /** Open addressing, two numbers a slot: hash, word of the record + 1 or 0; a third of them free. */
  #slots = new Int32Array(1 << 12);
  /** Nobody outside knows which keys would collide. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 0;

  /** What it holds; the arrays are its own. */
  get records(): EndpointRecords {
    return { size: this.#size, words: this.#words, tallies: this.#tallies };
  }

  /**
   * Counts `count` more of the key of `length` bytes that stands in `view` from `start` on, where four
   * bytes more can be read. It was met at byte `base + at` of the log: two numbers, as their sum may be
   * too large to be handed over without making an object of it. Throws InputError when there are too
   * many different keys.
   */
  add(
    view: DataView,
    start: number,
    length: number,
    count: number,
    base: number,
    at: number,
  ): void {
    const hash = hashOf(view, start, length, this.#seed);
    const words = this.#words;
    const slots = this.#slots;
    const mask = slots.length - 2;
    for (let slot = (hash << 1) & mask; slots[slot + 1] !== 0; slot = (slot + 2) & mask) {
      if (slots[slot] !== hash) continue;
      const record = slots[slot + 1] - 1;
      if (words[record + 1] !== length) continue;
      if (!holds(words, record + RECORD_HEAD, view, start, length)) continue;
      const tallies = this.#tallies;
      const i = words[record] << 1;
      tallies[i] += count;
      if (base + at < tallies[i + 1]) tallies[i + 1] = base + at;
      return;
    }
    this.#insert(view, start, length, hash, count, base + at);
  }

  /** Adds what another table holds, `shift` bytes further on in the log. */
  merge({ size, words, tallies }: EndpointRecords, shift: number): void {
    const view = new DataView(words.buffer);
    for (let i = 0, record = 0; i < size; i++, record = nextRecord(words, record)) {
      const key = (record + RECORD_HEAD) * Int32Array.BYTES_PER_ELEMENT;
      this.add(view, key, words[record + 1], tallies[i * 2], shift, tallies[i * 2 + 1]);
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
    const record = this.#usedWords;
    this.#usedWords += RECORD_HEAD + ((length + 3) >> 2);
    if (this.#usedWords > MOST_WORDS) {
      throw new InputError(
        "could not read the log: its different paths take more than 1 GiB; convert a part of it",
        { source: "access log" },
      );
    }
    const i = this.#size++;
    this.#makeRoom();
    this.#words[record] = i;
    this.#words[record + 1] = length;
    for (let at = 0, word = record + RECORD_HEAD; at < length; at += 4) {
      this.#words[word++] = wordAt(view, start + at, length - at);
    }
    this.#tallies[i * 2] = count;
    this.#tallies[i * 2 + 1] = first;
    occupy(this.#slots, hash, record + 1);
  }

  #makeRoom(): void {
    // One word more, for those who read four bytes from the last one on.
    this.#words = enlarged(this.#words, this.#usedWords + 1);
    this.#tallies = enlarged(this.#tallies, this.#size * 2);
    if (this.#size * 3 <= this.#slots.length) return;
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    for (let slot = 0; slot < old.length; slot += 2) {
      if (old[slot + 1] !== 0) occupy(this.#slots, old[slot], old[slot + 1]);
    }
    old.buffer.transfer(0);
  }
}

function occupy(slots: Int32Array, hash: number, entry: number): void {
  const mask = slots.length - 2;
  let slot = (hash << 1) & mask;
  while (slots[slot + 1] !== 0) slot = (slot + 2) & mask;
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
