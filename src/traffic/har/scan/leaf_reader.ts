import { ESCAPED, LEAF_BYTES, LEAF_STEP_BYTES, LEAF_TEXT, NUMBER } from "./leaf_addresses.ts";

/** A string or a number in JSON text. */
export interface ScannedLeaf {
  /** Value of the string, or text of the number. */
  readonly text: string;
  readonly isNumber: boolean;
  /** Names and indexes on the path from the root to the leaf. */
  readonly path: readonly (string | number)[];
  /** Offsets of the objects and lists that contain the leaf, outermost first. */
  readonly starts: readonly number[];
}

/** The leaves that the scanner program found in JSON text, in the format of the program. */
export interface LeafRecords {
  /** Number of leaves. */
  readonly count: number;
  /** The list of leaves: see `LEAVES`. The addresses in it are relative to `LEAF_TEXT`. */
  readonly words: Int32Array;
}

/** Size of an i32 in bytes. */
const WORD = 4;
/** Maximum length, in bytes, of a string that is decoded without `TextDecoder`. */
const LONGEST_SHORT = 64;

/** Reads the lists of leaves that the scanner program writes. */
export class LeafReader {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Cache of names, indexed by a hash of their bytes. */
  readonly #names = new Array<{ readonly name: string; readonly bytes: Uint8Array } | undefined>(
    509,
  );

  /** Returns the leaves of a JSON object or list. `text` is the scanned text. */
  read({ count, words }: LeafRecords, text: Uint8Array): ScannedLeaf[] {
    const leaves: ScannedLeaf[] = [];
    let at = 0;
    for (let left = count; left > 0; left--) {
      const kind = words[at + 1];
      const from = words[at + 2] - LEAF_TEXT;
      const to = words[at + 3] - LEAF_TEXT;
      const depth = words[at + 4];
      const path: (string | number)[] = [];
      const starts: number[] = [];
      let step = at + LEAF_BYTES / WORD;
      for (let i = 0; i < depth; i++, step += LEAF_STEP_BYTES / WORD) {
        const name = words[step];
        const length = words[step + 1];
        path.push(name < 0 ? length : this.#name(text, name - LEAF_TEXT, length));
        starts.push(words[step + 2] - LEAF_TEXT);
      }
      leaves.push({
        text: kind === ESCAPED
          ? JSON.parse(this.#decode(text.subarray(from - 1, to + 1)))
          : this.#decode(text.subarray(from, to)),
        isNumber: kind === NUMBER,
        path,
        starts,
      });
      at += words[at] / WORD;
    }
    return leaves;
  }

  #decode(bytes: Uint8Array): string {
    // The decoder takes longer to start than to decode such a string.
    return bytes.length <= LONGEST_SHORT && isAscii(bytes)
      ? String.fromCharCode.apply(null, bytes as unknown as number[])
      : this.#decoder.decode(bytes);
  }

  /**
   * Returns the name at `from`. Caches names, because most names in a recording occur many times.
   */
  #name(text: Uint8Array, from: number, length: number): string {
    const slot = (31 * length + 7 * text[from] + text[from + length - 1]) % this.#names.length;
    const known = this.#names[slot];
    if (known?.bytes.length === length && isAt(text, from, known.bytes)) return known.name;
    const bytes = text.slice(from, from + length);
    const name = this.#decode(bytes);
    this.#names[slot] = { name, bytes };
    return name;
  }
}

function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] >= 128) return false;
  return true;
}

/** Reports whether `text` contains `bytes` at `from`. */
export function isAt(text: Uint8Array, from: number, bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (text[from + i] !== bytes[i]) return false;
  return true;
}
