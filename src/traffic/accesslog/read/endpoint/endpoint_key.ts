import * as ascii from "../../../../base/ascii.ts";
import { MAX_LINE_BYTES } from "../text/byte_search.ts";
import { LOG_ESCAPES, unescape } from "../text/escapes.ts";
import { isNormalPath, writeTemplateText } from "./path_text.ts";
import * as requestLine from "./request_line.ts";
import { buildPathClasses, PLAIN, RouteKey } from "./route_key.ts";

const { QUESTION, SLASH, STAR } = ascii;

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
  /** True if the target has a query. */
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
