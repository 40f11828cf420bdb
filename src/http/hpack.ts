import { fieldText } from "./response_head.ts";

/** Static table of RFC 7541, Appendix A: `name=value`, separated by semicolons. */
const STATIC_TABLE = ":authority=;:method=GET;:method=POST;:path=/;:path=/index.html;" +
  ":scheme=http;:scheme=https;:status=200;:status=204;:status=206;:status=304;:status=400;" +
  ":status=404;:status=500;accept-charset=;accept-encoding=gzip, deflate;accept-language=;" +
  "accept-ranges=;accept=;access-control-allow-origin=;age=;allow=;authorization=;" +
  "cache-control=;content-disposition=;content-encoding=;content-language=;content-length=;" +
  "content-location=;content-range=;content-type=;cookie=;date=;etag=;expect=;expires=;from=;" +
  "host=;if-match=;if-modified-since=;if-none-match=;if-range=;if-unmodified-since=;" +
  "last-modified=;link=;location=;max-forwards=;proxy-authenticate=;proxy-authorization=;" +
  "range=;referer=;refresh=;retry-after=;server=;set-cookie=;strict-transport-security=;" +
  "transfer-encoding=;user-agent=;vary=;via=;www-authenticate=";

/** Entries of the static table. The index in HPACK is one more than the index here. */
const STATIC = STATIC_TABLE.split(";").map((entry): readonly [name: string, value: string] => {
  const end = entry.indexOf("=", 1);
  return [entry.slice(0, end), entry.slice(end + 1)];
});
/** Index of the first entry for each name. */
const INDEXES = new Map(STATIC.map(([name], index) => [name, index] as const).reverse());

/** Lengths in bits of the canonical Huffman codes of the symbols 0 to 256: `A` is 1, `a` is 27. */
const CODE_LENGTHS = "MWbbbbbbbXdbbdbbbbbbbbdbbbbbbbbbFJJLMFHKJJHKHFFFEEEFFFFFFFGHOFLJ" +
  "MFGGGGGGGGGGGGGGGGGGGGGGHGHMSMNFOEFEFEFFFEGGFFFEFGFEEFGGGGGOKNMb" +
  "TVTTVVVWVWWWWWXWXXVWXWWWWUVWVWWXVUTVVWWUWVVXUVWWUUVUWVWWTVVVWVVW" +
  "ZZTSVWVYZZZaaZXYSUZaaZaXUUZZbaaaTXTUVUUWVVYYXXZWZaZZaaaaabaaaaaZd";
const END_OF_STRING = 256;

/** By state and four bits: the next state, plus the decoded symbol and 1 from bit 8. */
const TRANSITIONS = new Uint32Array(256 * 16);
/** For each state, 1 if a string may end there: at most seven bits of padding, all ones. */
const MAY_END = new Uint8Array(256);

/** Maximum value of an integer: no header block is larger. */
const MAX_INTEGER = 0x7fffffff;

buildDecoder();

function buildDecoder(): void {
  // The children of node `n` are at 2n and 2n + 1: an inner node, or the complement of a symbol.
  const children = new Int16Array(512);
  const lengths = Array.from(CODE_LENGTHS, (letter) => {
    const code = letter.charCodeAt(0);
    return code < 97 ? code - 64 : code - 70;
  });
  let nodes = 1;
  let code = 0;
  for (let length = 5; length <= 30; length++, code <<= 1) {
    for (let symbol = lengths.indexOf(length); symbol >= 0; code++) {
      let node = 0;
      for (let bit = length - 1; bit > 0; bit--) {
        node = children[2 * node + (code >> bit & 1)] ||= nodes++;
      }
      children[2 * node + (code & 1)] = ~symbol;
      symbol = lengths.indexOf(length, symbol + 1);
    }
  }
  for (let i = 0; i < TRANSITIONS.length; i++) {
    let node = i >> 4;
    let decoded = 0;
    for (let bit = 3; bit >= 0; bit--) {
      node = children[2 * node + (i >> bit & 1)];
      if (node < 0) [decoded, node] = [~node + 1, 0];
    }
    TRANSITIONS[i] = node | decoded << 8;
  }
  for (let bits = 0, node = 0; bits < 8; bits++, node = children[2 * node + 1]) MAY_END[node] = 1;
}

export class HpackError extends Error {
  override readonly name = "HpackError";
}

/** Decodes header blocks of a peer without a dynamic table, which depend on nothing else. */
export class HpackDecoder {
  #bytes!: Uint8Array;
  #at = 0;
  #end = 0;
  #decoded = new Uint8Array(256);

  /** Calls `take` for each field of a block. Throws `HpackError` if it is invalid. */
  decode(
    bytes: Uint8Array,
    from: number,
    to: number,
    take: (name: string, value: string) => void,
  ): void {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = to;
    while (this.#at < to && (bytes[this.#at] & 0xe0) === 0x20) {
      if (this.#integer(5) !== 0) throw new HpackError("its dynamic table is larger than 0");
    }
    while (this.#at < to) {
      const first = bytes[this.#at];
      if (first >= 128) take(...staticEntry(this.#integer(7)));
      else if (first >= 32 && first < 64) {
        throw new HpackError("the size of the dynamic table changes within the block");
      } else {
        const index = this.#integer(first >= 64 ? 6 : 4);
        const name = index === 0 ? this.#string() : staticEntry(index)[0];
        take(name, this.#string());
      }
    }
  }

  /** Decodes an integer in the lowest `bits` of the next byte and in the bytes after it. */
  #integer(bits: number): number {
    const mask = (1 << bits) - 1;
    let value = this.#byte() & mask;
    if (value < mask) return value;
    for (let scale = 1;; scale *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (value > MAX_INTEGER || scale > MAX_INTEGER) throw new HpackError("a number is too large");
      if (byte < 128) return value;
    }
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new HpackError("it ends in the middle of a field");
    return this.#bytes[this.#at++];
  }

  #string(): string {
    const isHuffman = this.#at < this.#end && this.#bytes[this.#at] >= 128;
    const length = this.#integer(7);
    const from = this.#at;
    const to = this.#at = from + length;
    if (to > this.#end) throw new HpackError("it ends in the middle of a field");
    if (!isHuffman) return fieldText(this.#bytes, from, to);
    const size = this.#decodeHuffman(from, to);
    return fieldText(this.#decoded, 0, size);
  }

  #decodeHuffman(from: number, to: number): number {
    // The shortest code has five bits.
    const most = (to - from) * 8 / 5;
    if (most > this.#decoded.length) this.#decoded = new Uint8Array(2 * most);
    const [bytes, decoded] = [this.#bytes, this.#decoded];
    let state = 0;
    let size = 0;
    for (let at = from; at < to; at++) {
      for (let shift = 4; shift >= 0; shift -= 4) {
        const transition = TRANSITIONS[state << 4 | bytes[at] >> shift & 15];
        state = transition & 255;
        if (transition < 256) continue;
        const symbol = (transition >> 8) - 1;
        if (symbol === END_OF_STRING) throw new HpackError("a string contains its end symbol");
        decoded[size++] = symbol;
      }
    }
    if (MAY_END[state] === 0) throw new HpackError("the padding of a string is invalid");
    return size;
  }
}

function staticEntry(index: number): readonly [name: string, value: string] {
  const entry = STATIC[index - 1];
  if (entry === undefined) {
    throw new HpackError(`it refers to entry ${index}, which does not exist`);
  }
  return entry;
}

/** Fields that no intermediary may store in a table, because they contain secrets. */
const NEVER_INDEXED: ReadonlySet<string> = new Set(["authorization", "cookie"]);
const encoder = new TextEncoder();

/**
 * Encodes header blocks without Huffman coding and the dynamic table, so that a block is valid on
 * every connection. One buffer for each block would take longer than its content.
 */
export class HpackEncoder {
  #bytes = new Uint8Array(512);
  #size = 0;

  /** Adds the statement that the dynamic table has size 0. It must precede the fields. */
  announceTable(): void {
    this.#addInteger(0, 5, 0x20);
  }

  /** Adds a field. The name must be in lower case. */
  add(name: string, value: string): void {
    const first = INDEXES.get(name) ?? -1;
    let exact = first;
    while (exact >= 0 && STATIC[exact][1] !== value) {
      exact = STATIC[exact + 1]?.[0] === name ? exact + 1 : -1;
    }
    if (exact >= 0) return this.#addInteger(exact + 1, 7, 0x80);
    this.#addInteger(first + 1, 4, NEVER_INDEXED.has(name) ? 0x10 : 0);
    if (first < 0) this.#addString(name);
    this.#addString(value);
  }

  /** Returns the block, and starts another one. The bytes are valid until the next `add`. */
  take(): Uint8Array {
    const block = this.#bytes.subarray(0, this.#size);
    this.#size = 0;
    return block;
  }

  /** Adds an integer in the lowest `bits` of a byte with `flags`, and in the bytes after it. */
  #addInteger(value: number, bits: number, flags: number): void {
    this.#reserve(6);
    const mask = (1 << bits) - 1;
    if (value < mask) return void (this.#bytes[this.#size++] = flags | value);
    this.#bytes[this.#size++] = flags | mask;
    let rest = value - mask;
    for (; rest >= 128; rest >>>= 7) this.#bytes[this.#size++] = rest & 127 | 128;
    this.#bytes[this.#size++] = rest;
  }

  #addString(text: string): void {
    const start = this.#size;
    const { length } = text;
    this.#addInteger(length, 7, 0);
    this.#reserve(length);
    const [bytes, size] = [this.#bytes, this.#size];
    let union = 0;
    for (let i = 0; i < length; i++) union |= bytes[size + i] = text.charCodeAt(i);
    this.#size += length;
    if (union < 128) return;
    const encoded = encoder.encode(text);
    this.#size = start;
    this.#addInteger(encoded.length, 7, 0);
    this.#reserve(encoded.length);
    this.#bytes.set(encoded, this.#size);
    this.#size += encoded.length;
  }

  #reserve(count: number): void {
    if (this.#size + count <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (this.#size + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
