import { InputError } from "../../base/errors.ts";
import { growArray } from "./grow_array.ts";

/** 1 GiB of different keys, in words. */
const MOST_WORDS = 2 ** 28;

/** What a table holds, in order of arrival; as one thread can send it to another. */
export interface EndpointRecords {
  readonly size: number;
  /**
   * One record behind the other: the length of its key in bytes, how often it was counted, where in
   * the log it was met first (the lower and the upper 32 bits of that), the key, zeros up to the end
   * of its last word.
   */
  readonly words: Int32Array;
}

/** One endpoint as it stands in the words of `EndpointRecords`. */
export interface EndpointRecord {
  /** The bytes of `METHOD route`; part of the words. */
  readonly key: Uint8Array;
  readonly count: number;
  /** The byte of the log where the first line of it starts. */
  readonly first: number;
}

const LENGTH = 0;
const COUNT = 1;
const FIRST = 2;
/** Words of a record before its key. */
const HEAD = 4;

/** The word at which each record starts. */
export function recordStarts({ size, words }: EndpointRecords): Int32Array {
  const starts = new Int32Array(size);
  for (let i = 0, record = 0; i < size; i++) {
    starts[i] = record;
    record += HEAD + ((words[record + LENGTH] + 3) >> 2);
  }
  return starts;
}

/** The record that starts at word `record`. */
export function recordAt({ words }: EndpointRecords, record: number): EndpointRecord {
  const start = (record + HEAD) * Int32Array.BYTES_PER_ELEMENT;
  const key = new Uint8Array(words.buffer as ArrayBuffer, start, words[record + LENGTH]);
  return { key, count: recordCount(words, record), first: recordFirstSeen(words, record) };
}

/** How often the record at word `record` was counted. */
export function recordCount(words: Int32Array, record: number): number {
  return words[record + COUNT] >>> 0;
}

/** Where the record at word `record` was met first. */
export function recordFirstSeen(words: Int32Array, record: number): number {
  return (words[record + FIRST] >>> 0) + words[record + FIRST + 1] * 2 ** 32;
}

function setFirst(words: Int32Array, record: number, first: number): void {
  words[record + FIRST] = first % 2 ** 32;
  words[record + FIRST + 1] = Math.floor(first / 2 ** 32);
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
  /** Open addressing, two numbers a slot: hash, word of the record + 1 or 0; a third of them free. */
  #slots = new Int32Array(1 << 12);
  /** Nobody outside knows which keys would collide. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 0;

  /** How many keys it has. */
  get size(): number {
    return this.#size;
  }

  /** What it holds; the words are its own. */
  get records(): EndpointRecords {
    return { size: this.#size, words: this.#words };
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
    const hash = hashBytes(view, start, length, this.#seed);
    const words = this.#words;
    const slots = this.#slots;
    const mask = slots.length - 2;
    for (let slot = (hash << 1) & mask; slots[slot + 1] !== 0; slot = (slot + 2) & mask) {
      if (slots[slot] !== hash) continue;
      const record = slots[slot + 1] - 1;
      if (words[record + LENGTH] !== length) continue;
      if (!holds(words, record + HEAD, view, start, length)) continue;
      words[record + COUNT] += count;
      if (base + at < recordFirstSeen(words, record)) setFirst(words, record, base + at);
      return;
    }
    this.#insert(view, start, length, hash, count, base + at);
  }

  /** Adds what another table holds, `shift` bytes further on in the log. */
  merge(other: EndpointRecords, shift: number): void {
    const { words } = other;
    const view = new DataView(words.buffer);
    for (const record of recordStarts(other)) {
      const key = (record + HEAD) * Int32Array.BYTES_PER_ELEMENT;
      const count = recordCount(words, record);
      this.add(view, key, words[record + LENGTH], count, shift, recordFirstSeen(words, record));
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
    this.#usedWords += HEAD + ((length + 3) >> 2);
    if (this.#usedWords > MOST_WORDS) {
      throw new InputError(
        "could not read the log: its different paths take more than 1 GiB; convert a part of it",
        { source: "access log" },
      );
    }
    this.#size++;
    this.#makeRoom();
    const words = this.#words;
    words[record + LENGTH] = length;
    words[record + COUNT] = count;
    setFirst(words, record, first);
    let word = record + HEAD;
    let at = start;
    for (const last = start + length - 4; at <= last; at += 4) {
      words[word++] = view.getInt32(at, true);
    }
    if (at < start + length) words[word] = restAt(view, at, start + length - at);
    occupy(this.#slots, hash, record + 1);
  }

  #makeRoom(): void {
    // One word more, for those who read four bytes from the last one on.
    this.#words = growArray(this.#words, this.#usedWords + 1);
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

function hashBytes(view: DataView, start: number, length: number, seed: number): number {
  let hash = seed ^ length;
  let at = start | 0;
  for (const last = start + length - 4; at <= last; at += 4) {
    hash = mixed(hash, view.getInt32(at, true));
  }
  return mixed(hash, restAt(view, at, start + length - at));
}

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x9e3779b1);
  return product ^ (product >>> 15);
}

/** Whether the words from `word` on are those of the key in `view`. */
function holds(
  words: Int32Array,
  word: number,
  view: DataView,
  start: number,
  length: number,
): boolean {
  let i = word | 0;
  let at = start | 0;
  for (const last = start + length - 4; at <= last; at += 4) {
    if (words[i++] !== view.getInt32(at, true)) return false;
  }
  return at === start + length || words[i] === restAt(view, at, start + length - at);
}

/** The last bytes of a key, up to three, as a word with zeros behind them. */
function restAt(view: DataView, at: number, count: number): number {
  return view.getInt32(at, true) & ((1 << (count << 3)) - 1);
}
