/** A text in a `TextStore`. */
export interface StoredText {
  /** The text in UTF-8. Absent if the text contains a lone surrogate. */
  readonly utf8?: Uint8Array;
  /** Decodes and returns the text. */
  text(): string;
}

const SLAB = 4 * 2 ** 20;
/** Maximum size in bytes of a text that shares a buffer with others. */
const LONGEST_SHARED = SLAB / 16;

/**
 * Stores response bodies as UTF-8 outside the garbage-collected heap, so that the garbage collector
 * never moves them. For a large recording, this halves the memory use and the time to read it.
 */
export class TextStore {
  readonly #encoder = new TextEncoder();
  #slab = new Uint8Array();
  #used = 0;

  /** Stores `text`. */
  put(text: string): StoredText {
    // UTF-8 cannot encode lone surrogates.
    if (!text.isWellFormed()) return { text: () => text };
    if (3 * text.length > LONGEST_SHARED) return new Utf8Text(this.#encoder.encode(text));
    const free = this.#reserve(3 * text.length);
    const { written } = this.#encoder.encodeInto(text, free);
    this.#used += written;
    return new Utf8Text(free.subarray(0, written));
  }

  /** Stores a copy of a text in UTF-8. */
  putUtf8(utf8: Uint8Array): StoredText {
    if (utf8.length > LONGEST_SHARED) return new Utf8Text(utf8.slice());
    const free = this.#reserve(utf8.length);
    free.set(utf8);
    this.#used += utf8.length;
    return new Utf8Text(free.subarray(0, utf8.length));
  }

  /** Returns at least `size` free bytes of the current slab. */
  #reserve(size: number): Uint8Array {
    if (this.#slab.length - this.#used < size) {
      this.#slab = new Uint8Array(SLAB);
      this.#used = 0;
    }
    return this.#slab.subarray(this.#used);
  }
}

class Utf8Text implements StoredText {
  readonly utf8: Uint8Array;

  constructor(utf8: Uint8Array) {
    this.utf8 = utf8;
  }

  text(): string {
    return DECODER.decode(this.utf8);
  }
}

// Keep a byte order mark at the start of a body.
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
