import type { LongString } from "./har_splitter.ts";
import type { Unescaped } from "./scan/byte_scanner.ts";
import type { TextRange } from "./text_store.ts";
import { BACKSLASH, COLON, CR, LF, SPACE, TAB } from "../../base/ascii.ts";

const NAME = new TextEncoder().encode('"text"');

/** A valid JSON string that was cut out of an entry. */
export interface CutText extends Pick<Unescaped, "units"> {
  /**
   * Returns the decoded string in UTF-8, as a view that is valid until the next string is decoded.
   */
  readonly bytes: () => Uint8Array;
  /** Position of the string in the file. */
  readonly range: TextRange;
}

/**
 * Replaces long strings (bodies of requests and responses) in the JSON of a HAR entry with
 * placeholders before the JSON is parsed. `JSON.parse` then does not create these strings, and the
 * reader decodes only those that it needs.
 */
export class LongTexts {
  /** Start of all placeholders. Random, so that no recorded text equals a placeholder. */
  readonly #mark = `text-${crypto.randomUUID()}-`;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #scratch = new Uint8Array(1 << 16);
  #bytes: Uint8Array = new Uint8Array();
  #cut: LongString[] = [];
  readonly #checked = new Set<LongString>();

  /**
   * Decodes the JSON of an entry, and replaces each long string in a member `text` with a
   * placeholder. The placeholders are valid until the next call, or until `bytes` changes.
   */
  cut(bytes: Uint8Array, strings: readonly LongString[]): string {
    this.#bytes = bytes;
    this.#cut = strings.filter(({ start }) => isNamedText(bytes, start));
    this.#checked.clear();
    if (this.#cut.length === 0) return this.#decoder.decode(bytes);
    let done = 0;
    let to = 0;
    for (const [i, { start, end }] of this.#cut.entries()) {
      to = this.#append(bytes.subarray(done, start), to);
      to = this.#append(this.#encoder.encode(JSON.stringify(this.#mark + i)), to);
      done = end;
    }
    to = this.#append(bytes.subarray(done), to);
    return this.#decoder.decode(this.#scratch.subarray(0, to));
  }

  /**
   * Returns the string that the placeholder `value` replaces, in UTF-8. Returns undefined if
   * `value` is not a placeholder, or if the string contains a lone surrogate. Throws SyntaxError if
   * the string is not valid JSON.
   */
  utf8(value: unknown): CutText | undefined {
    const found = this.#find(value);
    if (found === undefined) return undefined;
    this.#checked.add(found);
    const { start, end, offset } = found;
    const units = found.units ?? found.unescape()?.units;
    if (units === undefined) return undefined;
    const range = { offset, length: end - start };
    return { units, bytes: () => found.unescape()!.bytes, range };
  }

  /**
   * If `value` is a placeholder, returns the string that it replaces. Returns any other value
   * unchanged. Throws SyntaxError if the string is not valid JSON.
   */
  restore(value: unknown): unknown {
    const found = this.#find(value);
    if (found === undefined) return value;
    return JSON.parse(this.#decoder.decode(this.#bytes.subarray(found.start, found.end)));
  }

  /** Throws SyntaxError if one of the strings that were cut out is not valid JSON. */
  check(): void {
    for (const text of this.#cut) {
      if (text.units === undefined && !this.#checked.has(text)) text.unescape();
    }
  }

  #find(value: unknown): LongString | undefined {
    return typeof value === "string" && value.startsWith(this.#mark)
      ? this.#cut[Number(value.slice(this.#mark.length))]
      : undefined;
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
  // An escaped quotation mark before the name would be part of a longer name.
  return at > 0 && NAME.every((byte, i) => bytes[at + i] === byte) && bytes[at - 1] !== BACKSLASH;
}

/** Returns the start offset of the white space that ends at offset `end`. */
function beforeSpace(bytes: Uint8Array, end: number): number {
  let at = end;
  while ([SPACE, TAB, LF, CR].includes(bytes[at - 1])) at--;
  return at;
}
