/** No number yet. */
const NONE = -1;

/**
 * Numbers byte strings from 0 on in the order in which they are first met. They are kept one behind
 * the other and found by hash, so a million of them cost little more than their bytes.
 */
export class ByteIndex {
  #bytes = new Uint8Array(1 << 12);
  /** Where each ends; it starts where the one before ends. */
  #ends = new Uint32Array(1 << 8);
  #hashes = new Int32Array(1 << 8);
  #size = 0;
  /** Open addressing: number + 1, or 0 where free; never more than half full. */
  #slots = new Int32Array(1 << 9);
  /** Nobody outside knows which strings would collide. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 0;

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  /** How many bytes they have together. */
  get bytes(): number {
    return this.#startOf(this.#size);
  }

  /** The number of the string from `from` to `to`; -1 when it has none. */
  find(bytes: Uint8Array, from = 0, to: number = bytes.length): number {
    return this.#slots[this.#slotOf(bytes, from, to, this.#hashOf(bytes, from, to))] - 1;
  }

  /** The number of the string from `from` to `to`, a new one if it has none. */
  number(bytes: Uint8Array, from = 0, to: number = bytes.length): number {
    const hash = this.#hashOf(bytes, from, to);
    const slot = this.#slotOf(bytes, from, to, hash);
    const found = this.#slots[slot] - 1;
    if (found !== NONE) return found;
    const start = this.bytes;
    const number = this.#size++;
    this.#makeRoom(start + to - from);
    this.#bytes.set(bytes.subarray(from, to), start);
    this.#ends[number] = start + to - from;
    this.#hashes[number] = hash;
    if (this.#size * 2 > this.#slots.length) this.#spread();
    else this.#slots[slot] = number + 1;
    return number;
  }

  /** The string with this number; valid until the next one is numbered. */
  at(number: number): Uint8Array {
    return this.#bytes.subarray(this.#startOf(number), this.#ends[number]);
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1];
  }

  #hashOf(bytes: Uint8Array, from: number, to: number): number {
    let hash = this.#seed ^ (to - from);
    for (let i = from; i < to; i++) {
      hash = Math.imul(hash ^ bytes[i], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  #slotOf(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let entry; (entry = this.#slots[slot]) !== 0; slot = (slot + 1) & mask) {
      if (this.#hashes[entry - 1] === hash && this.#holds(entry - 1, bytes, from, to)) break;
    }
    return slot;
  }

  #holds(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#startOf(number);
    if (this.#ends[number] - start !== to - from) return false;
    for (let i = from; i < to; i++) if (this.#bytes[start + i - from] !== bytes[i]) return false;
    return true;
  }

  #makeRoom(bytes: number): void {
    if (bytes > this.#bytes.length) {
      this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(bytes * 2));
    }
    if (this.#size <= this.#ends.length) return;
    this.#ends = new Uint32Array(this.#ends.buffer.transfer(this.#size * 8));
    this.#hashes = new Int32Array(this.#hashes.buffer.transfer(this.#size * 8));
  }

  #spread(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let slot = this.#hashes[number] & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}
