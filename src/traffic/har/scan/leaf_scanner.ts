import { SLACK } from "./addresses.ts";
import {
  ESCAPED,
  IS_JSON,
  LEAF_BYTES,
  LEAF_STEP_BYTES,
  LEAF_TEXT,
  LEAVES,
  LEAVES_BYTES,
  MAX_WANTED_POWER,
  MIN_WANTED_POWER,
  NUMBER,
} from "./leaf_addresses.ts";
import { reserveMemory, type ScannerProgram, startScanner } from "./scanner_program.ts";

/** A string or a number in JSON text. */
export interface ScannedLeaf {
  /** Value of the string, or text of the number. */
  readonly text: string;
  readonly isNumber: boolean;
  /** Names and indexes that lead to the leaf from the root. */
  readonly path: readonly (string | number)[];
  /** Offsets in the text of the objects and lists around the leaf, from the root. */
  readonly starts: readonly number[];
}

/**
 * Mean number of strings per entry of the filter. Fewer strings make it more exact, but a larger
 * filter does not fit into the cache of the processor.
 */
const TEXTS_PER_ENTRY = 4;
/** Size of an i32 in bytes. */
const WORD = 4;
/** Maximum length in bytes of a string that is converted without a decoder. */
const LONGEST_SHORT = 64;

function listIn(memory: Uint8Array): Int32Array {
  return new Int32Array(memory.buffer, LEAVES, LEAVES_BYTES / WORD);
}

function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] >= 128) return false;
  return true;
}

/** Reports whether `memory` contains `bytes` at `from`. */
function isAt(memory: Uint8Array, from: number, bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (memory[from + i] !== bytes[i]) return false;
  return true;
}

/**
 * Prefilter for JSON text: finds the leaves whose value may be wanted, without parsing the text to
 * JavaScript values. May return leaves that are not wanted, but never misses a wanted one. A leaf
 * is wanted if
 *
 * - it equals a value that was added with `addValue`,
 * - it is a string of at least 4 bytes whose longest token equals such a value,
 * - it is a string of at least 4 bytes, and one of its tokens was added with `addPart`, or
 * - it contains escapes, because these may be part of a value.
 *
 * A token is a maximal run of letters, digits and characters that are not ASCII.
 */
export class LeafScanner {
  readonly #program: ScannerProgram;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #memory: Uint8Array;
  /** The list of leaves in the memory. */
  #list: Int32Array;
  /** Cache of names, by a hash of their bytes. */
  readonly #names = new Array<{ readonly name: string; readonly bytes: Uint8Array } | undefined>(
    509,
  );
  #values: string[] = [];
  #parts: string[] = [];
  #isSized = false;

  constructor() {
    // bench: scripts/bench/har.ts, JSON responses only: -60 % of the CPU time to collect candidates
    this.#program = startScanner();
    this.#memory = reserveMemory(this.#program, LEAF_TEXT + 0x10000);
    this.#list = listIn(this.#memory);
  }

  /** Adds a value to search for. A leaf is wanted if it, or its longest token, equals the value. */
  addValue(value: string): void {
    this.#values.push(value);
  }

  /** Adds a token to search for. A leaf is wanted if it contains the token anywhere. */
  addPart(token: string): void {
    this.#parts.push(token);
  }

  /** Passes all added values and tokens to the program at once, which is faster. */
  #addPending(): void {
    const count = this.#values.length + this.#parts.length;
    if (!this.#isSized && count > 0) {
      this.#isSized = true;
      const power = Math.ceil(Math.log2(count / TEXTS_PER_ENTRY));
      this.#program.setWantedPower(Math.min(Math.max(power, MIN_WANTED_POWER), MAX_WANTED_POWER));
    }
    if (this.#values.length > 0) {
      this.#pass(this.#values, (from, to) => this.#program.addValues(from, to));
    }
    if (this.#parts.length > 0) {
      this.#pass(this.#parts, (from, to) => this.#program.addParts(from, to));
    }
    this.#values = [];
    this.#parts = [];
  }

  /**
   * Writes strings to the memory in UTF-8, each followed by a NUL, and calls `add` with their start
   * and end address. A string that contains a NUL counts as several strings.
   */
  #pass(texts: readonly string[], add: (from: number, to: number) => void): void {
    const joined = `${texts.join("\0")}\0`;
    this.#reserve(LEAF_TEXT + 3 * joined.length);
    const { written } = this.#encoder.encodeInto(joined, this.#memory.subarray(LEAF_TEXT));
    add(LEAF_TEXT, LEAF_TEXT + written);
  }

  /**
   * Returns the leaves of a JSON object or list that may be wanted, in document order. `utf8` is
   * the text in UTF-8. Returns undefined if the text is not an object or a list, if an object has
   * two members with the same name, if a name contains escapes, or if the text exceeds a limit
   * (depth 512, 80,000 names in objects with more than 24 members, 1 MiB of results). In these
   * cases, parse the text instead.
   */
  find(utf8: Uint8Array): ScannedLeaf[] | undefined {
    this.#addPending();
    const end = LEAF_TEXT + utf8.length;
    this.#reserve(end);
    this.#memory.set(utf8, LEAF_TEXT);
    if (this.#program.findLeaves(LEAF_TEXT, end) !== IS_JSON) return undefined;
    const leaves: ScannedLeaf[] = [];
    const words = this.#list;
    let at = 0;
    for (let count = this.#program.leaves.value; count > 0; count--) {
      const kind = words[at + 1];
      const from = words[at + 2];
      const to = words[at + 3];
      const depth = words[at + 4];
      const path: (string | number)[] = [];
      const starts: number[] = [];
      let step = at + LEAF_BYTES / WORD;
      for (let i = 0; i < depth; i++, step += LEAF_STEP_BYTES / WORD) {
        const name = words[step];
        const length = words[step + 1];
        path.push(name < 0 ? length : this.#name(name, name + length));
        starts.push(words[step + 2] - LEAF_TEXT);
      }
      leaves.push({
        text: kind === ESCAPED ? JSON.parse(this.#text(from - 1, to + 1)) : this.#text(from, to),
        isNumber: kind === NUMBER,
        path,
        starts,
      });
      at += words[at] / WORD;
    }
    return leaves;
  }

  #text(from: number, to: number): string {
    const bytes = this.#memory.subarray(from, to);
    // The decoder takes longer to start than to decode such a string.
    return bytes.length <= LONGEST_SHORT && isAscii(bytes)
      ? String.fromCharCode.apply(null, bytes as unknown as number[])
      : this.#decoder.decode(bytes);
  }

  /**
   * Returns the name at `[from, to)`. Caches names, because most names in a recording occur many
   * times.
   */
  #name(from: number, to: number): string {
    const memory = this.#memory;
    const slot = (31 * (to - from) + 7 * memory[from] + memory[to - 1]) % this.#names.length;
    const known = this.#names[slot];
    if (known?.bytes.length === to - from && isAt(memory, from, known.bytes)) return known.name;
    const name = this.#text(from, to);
    this.#names[slot] = { name, bytes: memory.slice(from, to) };
    return name;
  }

  #reserve(end: number): void {
    if (end + SLACK > this.#memory.length) {
      this.#memory = reserveMemory(this.#program, end + SLACK);
      this.#list = listIn(this.#memory);
    }
  }
}
