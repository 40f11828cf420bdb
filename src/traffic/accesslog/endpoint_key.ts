import { ID_PLACEHOLDER, isId, NO_ID, SEGMENT_CLASS } from "./id_segment.ts";
import { MAX_LINE_BYTES } from "./limits.ts";
import { unescapeField } from "./log_escapes.ts";
import { writeTemplateText } from "./template_text.ts";

const LF = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const DOLLAR = 0x24;
const DOT = 0x2e;
const SLASH = 0x2f;
const STAR = 0x2a;
const QUESTION = 0x3f;
const BACKSLASH = 0x5c;
const MOST_METHOD_BYTES = 32;
const CONNECT = new TextEncoder().encode("CONNECT");
const PLACEHOLDER = new TextEncoder().encode(ID_PLACEHOLDER);
/** An id of one byte grows to ten. */
const MOST_KEY_BYTES = MAX_LINE_BYTES * 6;

/** Where a query ends that is passed over. */
const QUERY_END = new Uint8Array(256);
for (const byte of [SPACE, QUOTE, BACKSLASH, LF]) QUERY_END[byte] = 1;

/** In a plain path: 0 an ordinary byte, SLASH, or END where it ends or stops being plain. */
const PATH_CLASS = new Uint8Array(256);
const AT_SLASH = 1;
const AT_END = 2;
PATH_CLASS[SLASH] = AT_SLASH;
for (const byte of [SPACE, QUESTION, QUOTE, BACKSLASH, DOLLAR, LF]) PATH_CLASS[byte] = AT_END;
PATH_CLASS.fill(AT_END, 0x80);

/**
 * The endpoint of a request line, as the bytes of `METHOD route`. The route is text of a plan: the
 * target's path without its query, unescaped, every id-like segment replaced by `${vars.id}`, recorded
 * `${` written `$${`, what is not UTF-8 percent-encoded.
 *
 * A request line is `METHOD target HTTP/x[.y]`, spaces in the target allowed, or `METHOD target`. The
 * target is a path, a URL (of which the path counts), or `*`. CONNECT has no endpoint.
 */
export class EndpointKey {
  /** Where the key's bytes stand: in the log itself if they do, else in here. */
  view: DataView;
  /** Where in `view` they start; four more than there are can be read. */
  start = 0;
  /** How many there are; 0 when the line was no request. */
  length = 0;
  /** Whether the target had a query. */
  hasQuery = false;
  /** Whether a segment was replaced. */
  hasId = false;
  // Room for what has to be rewritten; memory never touched is never paid for.
  readonly #bytes = new Uint8Array(MOST_KEY_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #unescaped = new Uint8Array(MAX_LINE_BYTES);
  readonly #template = new Uint8Array(MAX_LINE_BYTES * 3);

  /** With no key in it yet. */
  constructor() {
    this.view = this.#view;
  }

  /**
   * Reads the request line that starts at `from`, behind its opening quote; gives where its closing
   * quote stands, or the LF if there is none.
   */
  read(bytes: Uint8Array, view: DataView, from: number): number {
    this.length = 0;
    this.hasQuery = this.hasId = false;
    const quote = this.#readPlain(bytes, view, from);
    return quote >= 0 ? quote : this.#readAny(bytes, from);
  }

  /** The usual case, `METHOD /path?query HTTP/x.y"` in plain ASCII, in one pass; -1 if it is not. */
  #readPlain(bytes: Uint8Array, view: DataView, from: number): number {
    const space = methodEnd(bytes, from);
    if (space < 0 || bytes[space + 1] !== SLASH) return -1;
    let hasId = false;
    let end = space + 1;
    for (let kind; (kind = PATH_CLASS[bytes[end]]) !== AT_END;) {
      end++;
      if (kind !== AT_SLASH) continue;
      const segment = end;
      let classes = 0;
      for (let c; (c = SEGMENT_CLASS[bytes[end]]) < NO_ID; end++) classes |= c;
      if (PATH_CLASS[bytes[end]] !== 0) hasId ||= isId(bytes, segment, end, classes);
    }
    let version = end;
    if (bytes[end] === QUESTION) { while (QUERY_END[bytes[version]] === 0) version++; }
    const quote = plainVersionEnd(bytes, version);
    if (quote < 0) return -1;
    this.hasQuery = version > end;
    if (hasId) {
      this.#startKey(bytes, from, space);
      this.#path(bytes, space + 1, end);
    } else {
      this.view = view;
      this.start = from;
      this.length = end - from;
    }
    return quote;
  }

  #readAny(bytes: Uint8Array, from: number): number {
    const quote = fieldEnd(bytes, from);
    const space = methodEnd(bytes, from);
    const end = space < 0 ? -1 : targetEnd(bytes, space + 1, quote);
    if (end < 0) return quote;
    this.#startKey(bytes, from, space);
    const length = unescapeField(bytes, space + 1, end, this.#unescaped);
    const target = writeTemplateText(this.#unescaped, length, this.#template);
    if (!this.#target(this.#template, 0, target)) this.length = 0;
    return quote;
  }

  #startKey(bytes: Uint8Array, from: number, space: number): void {
    this.view = this.#view;
    this.start = 0;
    for (let i = from; i <= space; i++) this.#bytes[this.length++] = bytes[i];
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
function methodEnd(bytes: Uint8Array, from: number): number {
  if (bytes[from] < 0x41 || bytes[from] > 0x5a) return -1;
  let i = from + 1;
  while (METHOD_BYTE[bytes[i]] === 1) i++;
  if (bytes[i] !== SPACE || i - from > MOST_METHOD_BYTES) return -1;
  return i - from === CONNECT.length && CONNECT.every((byte, k) => byte === bytes[from + k])
    ? -1
    : i;
}

/** Where the quoted field that `from` stands in ends: at its quote, or at the LF that comes before. */
function fieldEnd(bytes: Uint8Array, from: number): number {
  let i = from;
  for (; bytes[i] !== QUOTE && bytes[i] !== LF; i++) {
    if (bytes[i] === BACKSLASH && bytes[i + 1] !== LF) i++;
  }
  return i;
}

/** Where the quote behind ` HTTP/x.y` or ` HTTP/x` at `at` stands; -1 when that is not there. */
function plainVersionEnd(bytes: Uint8Array, at: number): number {
  if (!isVersion(bytes, at)) return -1;
  const digit = at + " HTTP/".length;
  if (bytes[digit + 1] === QUOTE) return digit + 1;
  const hasMinor = bytes[digit + 1] === DOT && isDigit(bytes[digit + 2]) &&
    bytes[digit + 3] === QUOTE;
  return hasMinor ? digit + 3 : -1;
}

const METHOD_BYTE = Uint8Array.from(
  { length: 256 },
  (_, byte) => /[A-Z0-9_-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** Where the target that starts at `from` ends; -1 when it has spaces in it and no version behind it. */
function targetEnd(bytes: Uint8Array, from: number, to: number): number {
  const long = to - " HTTP/1.1".length;
  const hasMinor = bytes[to - 2] === DOT && isDigit(bytes[to - 1]);
  if (long >= from && hasMinor && isVersion(bytes, long)) return long;
  const short = to - " HTTP/1".length;
  if (short >= from && isVersion(bytes, short)) return short;
  for (let i = from; i < to; i++) if (bytes[i] === SPACE) return -1;
  return to;
}

/** Whether ` HTTP/` and a digit stand at `at`. */
function isVersion(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === SPACE && bytes[at + 1] === 0x48 && bytes[at + 2] === 0x54 &&
    bytes[at + 3] === 0x54 && bytes[at + 4] === 0x50 && bytes[at + 5] === SLASH &&
    isDigit(bytes[at + 6]);
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
