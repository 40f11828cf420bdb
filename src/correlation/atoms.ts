/** Minimum length of a run of characters of base64 that is one atom, in UTF-16 code units. */
const LONG_RUN = 512;

/** Kinds of ASCII characters: 1 for letters, 2 for digits, 0 for separators. */
const KIND = new Uint8Array(128);
const ENCODED = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  KIND[code] = /[A-Za-z]/.test(character) ? 1 : /\d/.test(character) ? 2 : 0;
  ENCODED[code] = /[\w+/-]/.test(character) ? 1 : 0;
}

/**
 * Calls `visit` with the range and the hash of each atom of a text: letters, digits, or one
 * separator. A long run of base64 is one atom.
 */
export function forEachAtom(
  text: string,
  visit: (start: number, end: number, hash: number) => void,
): void {
  let runEnd = 0;
  for (let start = 0, end = 0; start < text.length; start = end) {
    let code = text.charCodeAt(start);
    if (start >= runEnd && code < 128 && ENCODED[code] === 1) {
      runEnd = start + 1;
      for (let c; (c = text.charCodeAt(runEnd)) < 128 && ENCODED[c] === 1;) runEnd++;
    }
    end = start + 1;
    const kind = code < 128 ? KIND[code] : 1;
    let hash = code;
    if (runEnd - start >= LONG_RUN) {
      // A sample of the characters, because the hash only limits the number of comparisons.
      const step = runEnd - start >> 8;
      for (; end < runEnd; end += step) hash = Math.imul(hash, 0x01000193) ^ text.charCodeAt(end);
      end = runEnd;
    } else if (kind !== 0) {
      for (; end < text.length; end++) {
        code = text.charCodeAt(end);
        if ((code < 128 ? KIND[code] : 1) !== kind) break;
        hash = Math.imul(hash, 0x01000193) ^ code;
      }
    }
    visit(start, end, hash);
  }
}

export function isDigit(code: number): boolean {
  return code < 128 && KIND[code] === 2;
}

/** Growing hash table from two integers to an integer. -1 means no entry. */
export class PairTable {
  #keys = new Int32Array(2 ** 13);
  #values = new Int32Array(2 ** 12).fill(-1);
  #count = 0;

  get(a: number, b: number): number {
    return this.#values[this.#slot(a, b)];
  }

  set(a: number, b: number, value: number): void {
    if (this.#count * 2 > this.#values.length) this.#grow();
    const slot = this.#slot(a, b);
    if (this.#values[slot] < 0) this.#count++;
    this.#keys[2 * slot] = a;
    this.#keys[2 * slot + 1] = b;
    this.#values[slot] = value;
  }

  #slot(a: number, b: number): number {
    const mask = this.#values.length - 1;
    let slot = Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b);
    slot = (slot ^ slot >>> 15) & mask;
    while (
      this.#values[slot] >= 0 && (this.#keys[2 * slot] !== a || this.#keys[2 * slot + 1] !== b)
    ) slot = slot + 1 & mask;
    return slot;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Int32Array(keys.length * 2);
    this.#values = new Int32Array(values.length * 2).fill(-1);
    this.#count = 0;
    for (let slot = 0; slot < values.length; slot++) {
      if (values[slot] >= 0) this.set(keys[2 * slot], keys[2 * slot + 1], values[slot]);
    }
  }
}

/** Numbers the atoms of requests. */
export class AtomTable {
  readonly #byHash = new PairTable();
  readonly #texts: string[] = [];

  /** Returns the number of an atom, or -1 if no request contains it. */
  find(text: string, start: number, end: number, hash: number): number {
    // Equal hashes of different atoms continue with the next number of the same hash.
    for (let i = 0;; i++) {
      const id = this.#byHash.get(hash, i);
      if (id < 0 || this.#isAt(id, text, start, end)) return id;
    }
  }

  add(text: string, start: number, end: number, hash: number): number {
    for (let i = 0;; i++) {
      const id = this.#byHash.get(hash, i);
      if (id >= 0 && this.#isAt(id, text, start, end)) return id;
      if (id >= 0) continue;
      this.#byHash.set(hash, i, this.#texts.length);
      return this.#texts.push(text.slice(start, end)) - 1;
    }
  }

  #isAt(id: number, text: string, start: number, end: number): boolean {
    const known = this.#texts[id];
    if (known.length !== end - start) return false;
    // `startsWith` takes ten times as long for a long text, and half as long for a short one.
    return end - start < LONG_RUN
      ? text.startsWith(known, start)
      : text.slice(start, end) === known;
  }
}
