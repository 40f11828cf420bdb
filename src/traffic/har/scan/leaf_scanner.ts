import { SLACK } from "./addresses.ts";
import {
  LEAF_TEXT,
  LEAVES,
  LEAVES_BYTES,
  MAX_WANTED_POWER,
  MIN_WANTED_POWER,
} from "./leaf_addresses.ts";
import { LeafReader, type LeafRecords, type ScannedLeaf } from "./leaf_reader.ts";
import { reserveMemory, type ScannerProgram, startScanner } from "./scanner_program.ts";

/**
 * Mean number of strings per filter entry. A lower number makes the filter more exact, but too
 * large for the processor's cache.
 */
const TEXTS_PER_ENTRY = 4;
/** Size of an i32 in bytes. */
const WORD = 4;

/** The values and tokens that a `LeafScanner` looks for, in a form that can be sent to a thread. */
export interface EncodedTexts {
  /** Values in UTF-8, with a NUL after each. */
  readonly values: Uint8Array;
  /** Tokens in UTF-8, with a NUL after each. */
  readonly parts: Uint8Array;
  /** Number of values and tokens. */
  readonly count: number;
}

function listIn(memory: Uint8Array): Int32Array {
  return new Int32Array(memory.buffer, LEAVES, LEAVES_BYTES / WORD);
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
  readonly #reader = new LeafReader();
  #memory: Uint8Array;
  /** List of leaves in the WebAssembly memory. */
  #list: Int32Array;
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

  /**
   * Adds values and tokens to search for, which is faster than adding them one by one. A value or
   * token that contains a NUL is split at the NUL.
   */
  addEncoded({ values, parts, count }: EncodedTexts): void {
    if (!this.#isSized && count > 0) {
      this.#isSized = true;
      const power = Math.ceil(Math.log2(count / TEXTS_PER_ENTRY));
      this.#program.setWantedPower(Math.min(Math.max(power, MIN_WANTED_POWER), MAX_WANTED_POWER));
    }
    this.#program.addValues(LEAF_TEXT, this.#load(values));
    this.#program.addParts(LEAF_TEXT, this.#load(parts));
  }

  /**
   * Returns the leaves of a JSON object or list that may be wanted, in document order. `utf8` is
   * the text in UTF-8. Returns undefined if the text is not an object or a list, if an object has
   * two members with the same name, if a name contains escapes, or if the text exceeds a limit
   * (depth 512, 80,000 names in objects with more than 24 members, 1 MiB of results). In these
   * cases, parse the text instead.
   */
  find(utf8: Uint8Array): ScannedLeaf[] | undefined {
    const records = this.scan(utf8);
    return records && this.#reader.read(records, this.#memory.subarray(LEAF_TEXT));
  }

  /**
   * Returns the same leaves as `find`, as records in the memory of the WebAssembly program. `words`
   * in the result is a view that is valid until the next call.
   */
  scan(utf8: Uint8Array): LeafRecords | undefined {
    if (this.#values.length + this.#parts.length > 0) {
      this.addEncoded(encodeTexts(this.#values, this.#parts));
      this.#values = [];
      this.#parts = [];
    }
    const end = this.#load(utf8);
    if (this.#program.findLeaves(LEAF_TEXT, end) === 0) return undefined;
    const count = this.#program.leaves.value;
    let length = 0;
    for (let i = 0; i < count; i++) length += this.#list[length] / WORD;
    return { count, words: this.#list.subarray(0, length) };
  }

  /** Writes bytes to the WebAssembly memory. Returns the address after them. */
  #load(bytes: Uint8Array): number {
    const end = LEAF_TEXT + bytes.length;
    // The bitmaps of the program follow the text.
    this.#reserve(end + bytes.length / 4 + SLACK);
    this.#memory.set(bytes, LEAF_TEXT);
    return end;
  }

  #reserve(end: number): void {
    if (end + SLACK > this.#memory.length) {
      this.#memory = reserveMemory(this.#program, end + SLACK);
      this.#list = listIn(this.#memory);
    }
  }
}

/** Encodes the values and the tokens (`parts`) that a `LeafScanner` looks for. */
export function encodeTexts(values: readonly string[], parts: readonly string[]): EncodedTexts {
  const encoder = new TextEncoder();
  return {
    values: encoder.encode(joined(values)),
    parts: encoder.encode(joined(parts)),
    count: values.length + parts.length,
  };
}

/** Joins strings, with a NUL after each. */
function joined(texts: readonly string[]): string {
  return texts.length === 0 ? "" : `${texts.join("\0")}\0`;
}
