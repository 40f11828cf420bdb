import { InputError } from "../../../base/errors.ts";
import { growArray } from "./byte_arrays.ts";

/** Maximum size of all records (1 GiB), in 32-bit words. */
const MAX_WORDS = 2 ** 28;

/**
 * Contents of an `EndpointTable`, as data that can be transferred to another thread. Records are in
 * order of insertion.
 */
export interface EndpointRecords {
  readonly size: number;
  /**
   * Consecutive records of 32-bit words:
   *
   * ```
   * word  0           1           2           3           4 …
   *       +-----------+-----------+-----------+-----------+-------------------------------+
   *       | key       | requests  | first,    | first,    | key: bytes of `METHOD route`, |
   *       | length    |           | low half  | high half | zeros up to a whole word      |
   *       +-----------+-----------+-----------+-----------+-------------------------------+
   * ```
   *
   * `key length` is in bytes; `first` is the log offset of the first line with this endpoint.
   */
  readonly words: Int32Array;
}

/** One record of `EndpointRecords`. */
export interface EndpointRecord {
  /** Bytes of `METHOD route`: a view of part of `EndpointRecords.words`. */
  readonly key: Uint8Array;
  /** Number of requests to the endpoint. */
  readonly count: number;
  /** Log offset of the first line with this endpoint. */
  readonly first: number;
}

const LENGTH = 0;
const COUNT = 1;
const FIRST = 2;
/** Number of 32-bit words that precede the key in a record. */
const HEAD = 4;

/** Returns the index of the first word of each record. */
export function listRecordStarts({ size, words }: EndpointRecords): Int32Array {
  const starts = new Int32Array(size);
  for (let i = 0, record = 0; i < size; i++) {
    starts[i] = record;
    record += HEAD + ((words[record + LENGTH] + 3) >> 2);
  }
  return starts;
}

/** Returns the record whose first word is at index `record`. */
export function readRecord({ words }: EndpointRecords, record: number): EndpointRecord {
  const start = (record + HEAD) * Int32Array.BYTES_PER_ELEMENT;
  const key = new Uint8Array(words.buffer as ArrayBuffer, start, words[record + LENGTH]);
  return { key, count: recordCount(words, record), first: recordFirstSeen(words, record) };
}

/** Returns the number of requests in the record whose first word is at index `record`. */
export function recordCount(words: Int32Array, record: number): number {
  return words[record + COUNT] >>> 0;
}

/**
 * Returns the log offset of the endpoint's first line, from the record whose first word is at index
 * `record`.
 */
export function recordFirstSeen(words: Int32Array, record: number): number {
  return (words[record + FIRST] >>> 0) + words[record + FIRST + 1] * 2 ** 32;
}

function setFirst(words: Int32Array, record: number, first: number): void {
  words[record + FIRST] = first % 2 ** 32;
  words[record + FIRST + 1] = Math.floor(first / 2 ** 32);
}

/**
 * Counts requests by key, the bytes of `METHOD route`. Keys are stored as bytes in one array and
 * found by hash, so a million keys take little more memory than their bytes. Keys with equal hashes
 * are compared in full. Related data is adjacent, because memory latency limits the speed of
 * lookups.
 */
export class EndpointTable {
  #size = 0;
  #words = new Int32Array(1 << 14);
  #usedWords = 0;
  /**
   * Hash table with open addressing and two words per slot: the hash, and the index of the record
   * plus 1 (0 for an empty slot). At least a third of the slots are empty.
   */
  #slots = new Int32Array(1 << 12);
  /** Random hash seed, so that nobody can craft a log whose keys collide. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 0;

  /** Number of distinct keys. */
  get size(): number {
    return this.#size;
  }

  /** Records of all endpoints. The words are shared with this table, not copied. */
  get records(): EndpointRecords {
    return { size: this.#size, words: this.#words };
  }

  /**
   * Adds `count` requests with the same key, which is the `length` bytes at `start` in `view`. Four
   * bytes after the key must be readable. The first request is at log offset `base + at`. The
   * offset is passed in two parts, because V8 would allocate a heap number for a large sum. Throws
   * `InputError` if the distinct keys need too much memory.
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
      if (!hasKey(words, record + HEAD, view, start, length)) continue;
      words[record + COUNT] += count;
      if (base + at < recordFirstSeen(words, record)) setFirst(words, record, base + at);
      return;
    }
    this.#insert(view, start, length, hash, count, base + at);
  }

  /**
   * Adds the records of another table. Increases their log offsets by `shift` bytes. Throws
   * `InputError` if the distinct keys need too much memory.
   */
  merge(other: EndpointRecords, shift: number): void {
    const { words } = other;
    const view = new DataView(words.buffer);
    for (const record of listRecordStarts(other)) {
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
    if (this.#usedWords > MAX_WORDS) {
      throw new InputError(
        "cannot read the log: its distinct paths need more than 1 GiB of memory; convert only part of the log",
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
    // Reserves one extra word, because readers load four bytes even at the end of the last key.
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

/**
 * Reports whether the words that start at index `word` contain the same key as the `length` bytes
 * at `start` in `view`.
 */
function hasKey(
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

/**
 * Returns the last `count` (0 to 3) bytes of a key, which start at `at` in `view`, as a word padded
 * with zeros.
 */
function restAt(view: DataView, at: number, count: number): number {
  return view.getInt32(at, true) & ((1 << (count << 3)) - 1);
}
