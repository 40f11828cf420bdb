import type { LongString } from "./scan/byte_scanner.ts";
import { BACKSLASH, COLON, CR, LF, SPACE, TAB } from "../../base/ascii.ts";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
const NAME = ENCODER.encode('"text"');

/**
 * Replaces long strings (bodies of requests and responses) in the JSON of a HAR entry with
 * placeholders before the JSON is parsed. `JSON.parse` then does not create these strings, and the
 * reader decodes only those that it needs.
 */
export class LongTexts {
  /** Start of all placeholders. Random, so that no recorded text equals a placeholder. */
  readonly #mark = `text-${crypto.randomUUID()}-`;
  /** The JSON of each placeholder. */
  readonly #placeholders: Uint8Array[] = [];
  #scratch = new Uint8Array(1 << 16);
  #cut: LongString[] = [];

  /**
   * Decodes the JSON of an entry, and replaces each long string in a member `text` with a
   * placeholder. `start` is the file offset of the entry. The placeholders are valid until the next
   * call, or until `bytes` changes.
   */
  cut(bytes: Uint8Array, start: number, strings: readonly LongString[]): string {
    this.#cut = [];
    let done = 0;
    let to = 0;
    for (const string of strings) {
      const at = string.offset - start;
      if (!isNamedText(bytes, at)) continue;
      to = this.#append(bytes.subarray(done, at), to);
      to = this.#append(this.#placeholder(this.#cut.length), to);
      done = at + string.length;
      this.#cut.push(string);
    }
    if (done === 0) return DECODER.decode(bytes);
    to = this.#append(bytes.subarray(done), to);
    return DECODER.decode(this.#scratch.subarray(0, to));
  }

  /** Returns the string that the placeholder `value` replaces, or undefined for other values. */
  find(value: unknown): LongString | undefined {
    return typeof value === "string" && value.startsWith(this.#mark)
      ? this.#cut[Number(value.slice(this.#mark.length))]
      : undefined;
  }

  /**
   * If `value` is a placeholder, returns the string that it replaces. Returns any other value
   * unchanged. Throws SyntaxError if the string is not valid JSON.
   */
  restore(value: unknown): unknown {
    const found = this.find(value);
    return found === undefined ? value : JSON.parse(DECODER.decode(found.json));
  }

  /** Throws SyntaxError if one of the strings that were cut out is not valid JSON. */
  check(): void {
    for (const string of this.#cut) string.check();
  }

  #placeholder(index: number): Uint8Array {
    return this.#placeholders[index] ??= ENCODER.encode(`"${this.#mark}${index}"`);
  }

  #append(bytes: Uint8Array, to: number): number {
    if (to + bytes.length > this.#scratch.length) {
      const larger = new Uint8Array(2 * (to + bytes.length));
      larger.set(this.#scratch.subarray(0, to));
      this.#scratch = larger;
    }
    this.#scratch.set(bytes, to);
    return to + bytes.length;
  }
}

/** Reports whether the JSON string at `start` is the value of a member named `text`. */
function isNamedText(bytes: Uint8Array, start: number): boolean {
  let at = beforeSpace(bytes, start);
  if (bytes[at - 1] !== COLON) return false;
  at = beforeSpace(bytes, at - 1) - NAME.length;
  for (let i = 0; i < NAME.length; i++) if (bytes[at + i] !== NAME[i]) return false;
  // An escaped quotation mark before the name would be part of a longer name.
  return bytes[at - 1] !== BACKSLASH;
}

/** Returns the start offset of the white space that ends at offset `end`. */
function beforeSpace(bytes: Uint8Array, end: number): number {
  let at = end;
  while (isSpace(bytes[at - 1])) at--;
  return at;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}
