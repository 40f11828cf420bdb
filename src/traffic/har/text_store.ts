const SLAB = 4 * 2 ** 20;

/**
 * Stores the texts of a large recording as UTF-8 outside the garbage-collected heap. This halves both
 * memory use and time, because the garbage collector never moves them.
 */
export class TextStore {
  readonly #encoder = new TextEncoder();
  #slab = new Uint8Array();
  #used = 0;

  /** Stores a text. Returns a function that decodes and returns it on each call. */
  put(text: string): () => string {
    // UTF-8 cannot encode lone surrogates.
    if (!text.isWellFormed()) return () => text;
    return decoding(text.length > SLAB / 16 ? this.#encoder.encode(text) : this.#intoSlab(text));
  }

  #intoSlab(text: string): Uint8Array {
    if (this.#slab.length - this.#used < 3 * text.length) {
      this.#slab = new Uint8Array(SLAB);
      this.#used = 0;
    }
    const free = this.#slab.subarray(this.#used);
    const { written } = this.#encoder.encodeInto(text, free);
    this.#used += written;
    return free.subarray(0, written);
  }
}

/**
 * Returns a function that decodes `bytes`. It is created here because all closures of one function
 * share their captured variables and would keep the original text alive.
 */
function decoding(bytes: Uint8Array): () => string {
  return () => DECODER.decode(bytes);
}

// Keep a byte order mark at the start of a body.
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
