import { ID_PLACEHOLDER, isId, SEGMENT_CLASS } from "./id_segment.ts";
import { MAX_LINE_BYTES } from "./limits.ts";
import { unescapeField } from "./log_escapes.ts";
import { writeTemplateText } from "./template_text.ts";

const SPACE = 0x20;
const DOT = 0x2e;
const SLASH = 0x2f;
const STAR = 0x2a;
const QUESTION = 0x3f;
const MOST_METHOD_BYTES = 32;
const CONNECT = new TextEncoder().encode("CONNECT");
const PLACEHOLDER = new TextEncoder().encode(ID_PLACEHOLDER);
/** An id of one byte grows to ten. */
const MOST_KEY_BYTES = MAX_LINE_BYTES * 6;

/**
 * The endpoint of a request line, as the bytes of `METHOD route`. The route is text of a plan: the
 * target's path without its query, unescaped, every id-like segment replaced by `${vars.id}`, recorded
 * `${` written `$${`, what is not UTF-8 percent-encoded.
 *
 * A request line is `METHOD target HTTP/x[.y]`, spaces in the target allowed, or `METHOD target`. The
 * target is a path, a URL (of which the path counts), or `*`. CONNECT has no endpoint.
 */
export class EndpointKey {
  readonly #bytes = new Uint8Array(MOST_KEY_BYTES);
  /** The key's bytes in words, zeros behind the last byte up to its word's end. */
  readonly words: Int32Array = new Int32Array(this.#bytes.buffer);
  /** The key's length in bytes. */
  length = 0;
  /** Whether the target had a query. */
  hasQuery = false;
  /** Whether a segment was replaced. */
  hasId = false;
  // Room for a target that is not plain; never touched, and so never paid for, where all are.
  readonly #unescaped = new Uint8Array(MAX_LINE_BYTES);
  readonly #template = new Uint8Array(MAX_LINE_BYTES * 3);

  /**
   * Writes the key of the request line from `from` to `to`; false when it is none. `plain` says that
   * it holds no backslash, no `$`, and nothing but ASCII.
   */
  write(bytes: Uint8Array, from: number, to: number, plain: boolean): boolean {
    this.length = 0;
    this.hasQuery = this.hasId = false;
    const space = methodEnd(bytes, from, to);
    if (space < 0) return false;
    const end = targetEnd(bytes, space + 1, to);
    if (end < 0) return false;
    const key = this.#bytes;
    for (let i = from; i <= space; i++) key[this.length++] = bytes[i];
    return plain ? this.#target(bytes, space + 1, end) : this.#oddTarget(bytes, space + 1, end);
  }

  #oddTarget(bytes: Uint8Array, from: number, to: number): boolean {
    const length = unescapeField(bytes, from, to, this.#unescaped);
    return this.#target(
      this.#template,
      0,
      writeTemplateText(this.#unescaped, length, this.#template),
    );
  }

  #target(bytes: Uint8Array, from: number, to: number): boolean {
    if (from === to) return false;
    if (bytes[from] === SLASH) this.#path(bytes, from, to);
    else if (bytes[from] === STAR && to - from === 1) this.#bytes[this.length++] = STAR;
    else {
      const path = authorityEnd(bytes, from, to);
      if (path < 0) return false;
      if (path === to || bytes[path] !== SLASH) this.#bytes[this.length++] = SLASH;
      this.#path(bytes, path, to);
    }
    this.words[this.length >> 2] &= (1 << ((this.length & 3) << 3)) - 1;
    return true;
  }

  #path(bytes: Uint8Array, from: number, to: number): void {
    const key = this.#bytes;
    let at = this.length;
    let segment = at;
    let classes = 0;
    for (let i = from; i < to; i++) {
      const byte = bytes[i];
      if (byte === SLASH) {
        if (isId(key, segment, at, classes)) at = this.#replace(segment);
        key[at++] = byte;
        segment = at;
        classes = 0;
      } else if (byte === QUESTION) {
        this.hasQuery = true;
        break;
      } else {
        classes |= SEGMENT_CLASS[byte];
        key[at++] = byte;
      }
    }
    if (isId(key, segment, at, classes)) at = this.#replace(segment);
    this.length = at;
  }

  #replace(segment: number): number {
    this.hasId = true;
    this.#bytes.set(PLACEHOLDER, segment);
    return segment + PLACEHOLDER.length;
  }
}

/** Where the space behind `[A-Z][A-Z0-9_-]{0,31}` stands; -1 when that is not there, or is CONNECT. */
function methodEnd(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && METHOD_BYTE[bytes[i]] === 1) i++;
  const length = i - from;
  if (i === to || bytes[i] !== SPACE || length === 0 || length > MOST_METHOD_BYTES) return -1;
  if (bytes[from] < 0x41 || bytes[from] > 0x5a) return -1;
  const isConnect = length === CONNECT.length &&
    CONNECT.every((byte, k) => byte === bytes[from + k]);
  return isConnect ? -1 : i;
}

const METHOD_BYTE = Uint8Array.from(
  { length: 256 },
  (_, byte) => /[A-Z0-9_-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Where the target that starts at `from` ends; -1 when it has spaces in it and no version behind it. */
function targetEnd(bytes: Uint8Array, from: number, to: number): number {
  const long = to - " HTTP/1.1".length;
  if (
    long >= from && isDigit(bytes[to - 3]) && bytes[to - 2] === DOT && isVersion(bytes, long, to)
  ) {
    return long;
  }
  const short = to - " HTTP/1".length;
  if (short >= from && isVersion(bytes, short, to)) return short;
  for (let i = from; i < to; i++) if (bytes[i] === SPACE) return -1;
  return to;
}

/** Whether ` HTTP/` stands at `at` and a digit right before `to`. */
function isVersion(bytes: Uint8Array, at: number, to: number): boolean {
  return bytes[at] === SPACE && bytes[at + 1] === 0x48 && bytes[at + 2] === 0x54 &&
    bytes[at + 3] === 0x54 && bytes[at + 4] === 0x50 && bytes[at + 5] === SLASH &&
    isDigit(bytes[to - 1]);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Where what is behind `scheme://authority` starts; -1 when that is not there. */
function authorityEnd(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && SCHEME_BYTE[bytes[i]] === 1) i++;
  const isScheme = i > from && (bytes[from] | 0x20) >= 0x61 && i + 2 < to && bytes[i] === 0x3a &&
    bytes[i + 1] === SLASH && bytes[i + 2] === SLASH;
  if (!isScheme) return -1;
  const authority = i + 3;
  for (i = authority; i < to && bytes[i] !== SLASH && bytes[i] !== QUESTION;) i++;
  return i === authority ? -1 : i;
}

const SCHEME_BYTE = Uint8Array.from(
  { length: 256 },
  (_, byte) => /[A-Za-z0-9+.-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
