import * as ascii from "../../../../base/ascii.ts";
import { MAX_LINE_BYTES } from "../text/bytes.ts";
import { LOG_ESCAPES, unescape } from "../text/escapes.ts";
import {
  ID_PLACEHOLDER,
  isId,
  isNormalPath,
  NO_ID,
  SEGMENT_CLASS,
  writeTemplateText,
} from "./request_line.ts";
import * as requestLine from "./request_line.ts";

const { QUESTION, SLASH, STAR } = ascii;

/** Bit of a byte class that marks the bytes of a path that may need rewriting. */
export const REWRITABLE = 0x10;
const AT_SLASH = 0x40;
/** Bit of a byte class that marks the bytes that end a path. */
export const AT_END = 0x80;
/** Word in which each byte contains the upper three bits of a lower-case letter. */
const LOWER_CASE = 0x60606060;
const PLACEHOLDER = new DataView(new TextEncoder().encode(ID_PLACEHOLDER.padEnd(12)).buffer);
/**
 * Maximum length of a key in bytes. The placeholder is nine bytes longer than the shortest id, so a
 * key is less than six times as long as its line.
 */
const MAX_KEY_BYTES = MAX_LINE_BYTES * 6;

/**
 * Builds a table that contains the class of each byte value in a path. Slashes and bytes that end a
 * path have separate classes. Other bytes have their `SEGMENT_CLASS`. A path ends at its `?` or at
 * any of the characters in `ends`.
 */
function buildPathClasses(ends: string): Uint8Array {
  const classes = SEGMENT_CLASS.slice();
  classes[SLASH] = AT_SLASH;
  for (const byte of new TextEncoder().encode(`?${ends}`)) classes[byte] = AT_END;
  return classes;
}

/**
 * Byte classes for paths that need no unescaping and have no fragment. Any byte that would need
 * unescaping, and the `#` before a fragment, ends the path.
 */
export const PLAIN: Uint8Array = buildPathClasses(' \t"\\$#\n');
PLAIN.fill(AT_END, 0x80);
for (const byte of new TextEncoder().encode("%;")) PLAIN[byte] = REWRITABLE;

/**
 * Key of an endpoint, the bytes of `METHOD route`. It is a view of the input, or a copy if an id
 * was replaced.
 */
export class RouteKey {
  readonly #copy = new DataView(new ArrayBuffer(MAX_KEY_BYTES));
  readonly #copyBytes = new Uint8Array(this.#copy.buffer);
  /** View of the buffer that contains the key. */
  view: DataView = this.#copy;
  /** Buffer that contains the key. */
  bytes: Uint8Array = this.#copyBytes;
  /** Byte offset of the key in `view`. */
  start = 0;
  /** Length of the key in bytes. */
  length = 0;
  /**
   * Offset, in the bytes passed to `write`, of the first path byte that may need rewriting; -1 if
   * no byte needs rewriting.
   */
  rewritableAt: number = -1;

  /** True if an id was replaced. */
  hasId: boolean = false;

  /** Sets the key to `bytes[start, start + length)`. `view` is a view of the same buffer. */
  set(bytes: Uint8Array, view: DataView, start: number, length: number, hasId: boolean): void {
    this.bytes = bytes;
    this.view = view;
    this.start = start;
    this.length = length;
    this.hasId = hasId;
  }

  /**
   * Builds the key from the text at `start` (a method, a space and a path) and replaces all ids.
   * `path` is the offset of the path, and `classes` determines where it ends. Returns the end
   * offset of the path. Four bytes after it must be readable.
   */
  write(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    path: number,
    classes: Uint8Array,
  ): number {
    let copied = start | 0;
    let i = path | 0;
    this.length = 0;
    this.rewritableAt = -1;
    for (let kind = 0; kind !== AT_END; i++) {
      const segment = i;
      let seen = 0;
      for (; (kind = classes[bytes[i]]) < NO_ID; i++) seen |= kind;
      if (kind === NO_ID || kind === REWRITABLE) {
        // Skips lower-case letters four at a time, because they never end a segment.
        while ((view.getInt32(i, true) & 0xe0e0e0e0) === LOWER_CASE) i += 4;
        while ((kind = classes[bytes[i]]) < AT_SLASH) {
          if (kind === REWRITABLE && this.rewritableAt < 0) this.rewritableAt = i;
          i++;
        }
      } else if (isId(bytes, segment, i, seen)) {
        this.#append(view, copied, segment);
        this.#append(PLACEHOLDER, 0, ID_PLACEHOLDER.length);
        copied = i;
      }
    }
    i--;
    this.hasId = copied > start;
    if (this.hasId) {
      this.#append(view, copied, i);
      this.view = this.#copy;
      this.bytes = this.#copyBytes;
      this.start = 0;
    } else {
      this.view = view;
      this.bytes = bytes;
      this.start = start;
      this.length = i - start;
    }
    return i;
  }

  /**
   * Appends the bytes `[from, to)` of `view` to the copy, four bytes at a time. Up to three bytes
   * after `to` are also copied, but they are ignored or overwritten by the next call.
   */
  #append(view: DataView, from: number, to: number): void {
    const copy = this.#copy;
    const at = this.length - from;
    for (let i = from | 0; i < to; i += 4) copy.setInt32(at + i, view.getInt32(i, true), true);
    this.length = at + to;
  }
}

/** Number of bytes reserved before the target for the method and a space. */
const HEAD_BYTES = 64;

const ANY = buildPathClasses("");

/**
 * Extracts the endpoint from a request line, as the bytes of `METHOD route`. The route is plan
 * text: the unescaped, normalized path without the query, with `${vars.id}` for each id and `$${`
 * for each recorded `${`.
 *
 * A request line is `METHOD target HTTP/x[.y]`, in which the target may contain spaces, or `METHOD
 * target`. The target is a path, a URL (only its path is used), or `*`. CONNECT and PRI have no
 * endpoint.
 */
export class EndpointKey {
  /**
   * Bytes of `METHOD route`, valid until the next `read`. The four bytes after the end can also be
   * read.
   */
  readonly route: RouteKey = new RouteKey();
  hasQuery = false;
  /**
   * True if the last line read is a valid request line. If false, the other properties have no
   * meaning.
   */
  isRequest = false;
  // Large, but the operating system allocates only the pages that are touched.
  readonly #unescaped = new Uint8Array(MAX_LINE_BYTES);
  readonly #template = new Uint8Array(HEAD_BYTES + MAX_LINE_BYTES * 3 + 4);
  readonly #templateView = new DataView(this.#template.buffer);

  /**
   * Reads the request line that starts at `from`, after its opening quote. Returns the offset of
   * its closing quote, or the offset of the LF if there is no quote. Ten bytes after the LF must be
   * readable.
   */
  read(bytes: Uint8Array, view: DataView, from: number): number {
    const space = requestLine.findMethodEnd(bytes, from);
    const quote = space < 0 ? -1 : this.#readPlain(bytes, view, from, space + 1);
    this.isRequest = quote >= 0;
    return this.isRequest ? quote : this.#readAny(bytes, from, space + 1);
  }

  /**
   * Reads an ASCII request line in the usual form, `METHOD /path?query HTTP/x.y"`, in one pass.
   * `from` is its offset, and `target` is the offset of the target. Returns the offset of its
   * closing quote, or -1 if the line has a different form.
   */
  #readPlain(bytes: Uint8Array, view: DataView, from: number, target: number): number {
    if (bytes[target] !== SLASH) return -1;
    const end = this.route.write(bytes, view, from, target, PLAIN);
    const { rewritableAt } = this.route;
    if (rewritableAt >= 0 && !isNormalPath(bytes, rewritableAt, end)) return -1;
    this.hasQuery = bytes[end] === QUESTION;
    const version = this.hasQuery ? requestLine.findQueryEnd(bytes, end) : end;
    return requestLine.findVersionEnd(bytes, view, version);
  }

  /**
   * Reads a request line in any form and sets `isRequest`. `target` is the offset of the target, or
   * 0 if the line has no valid method. Returns the offset of the closing quote or the LF.
   */
  #readAny(bytes: Uint8Array, from: number, target: number): number {
    const quote = requestLine.findFieldEnd(bytes, from);
    const end = target === 0 ? -1 : requestLine.findTargetEnd(bytes, target, quote);
    if (end < 0) return quote;
    const length = unescape(LOG_ESCAPES, bytes, target, end, this.#unescaped);
    this.isRequest = this.#readTarget(bytes.subarray(from, target), length);
    return quote;
  }

  /**
   * Builds the key from `method`, which includes a trailing space, and the first `length` bytes of
   * `#unescaped`, which contain the target. Returns false if the target is invalid.
   */
  #readTarget(method: Uint8Array, length: number): boolean {
    const target = this.#unescaped;
    const text = this.#template;
    const isStar = target[0] === STAR && length === 1;
    const isPath = length > 0 && (target[0] === SLASH || isStar);
    const from = isPath ? 0 : requestLine.findAuthorityEnd(target, 0, length);
    if (from < 0) return false;
    let path = HEAD_BYTES;
    if (!isPath && (from === length || target[from] !== SLASH)) text[--path] = SLASH;
    const rest = text.subarray(HEAD_BYTES);
    const end = HEAD_BYTES + writeTemplateText(target, from, length, rest);
    text[end] = QUESTION;
    text.set(method, path - method.length);
    const found = this.route.write(text, this.#templateView, path - method.length, path, ANY);
    this.hasQuery = found < end;
    return true;
  }
}
