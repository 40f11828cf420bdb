import * as ascii from "../../../base/ascii.ts";
import { findAuthorityEnd, findMethodEnd, findTargetEnd } from "./endpoint/request_line.ts";
import { FIELD_INDEX, type LineSplitter } from "./line_splitter.ts";
import type { LogFormat } from "./log_format.ts";
import type { LogRequest } from "./log_request.ts";
import { indexOfByte, MAX_LINE_BYTES, SLACK } from "./text/bytes.ts";
import { decodeW3c, escapeField, JSON_ESCAPES, unescape } from "./text/escapes.ts";

const { PERCENT, QUESTION, SLASH, SPACE } = ascii;
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;
// Big-endian words and bytes of ` HTTP/1.1"` and an LF.
const HTTP = 0x20485454;
const VERSION = 0x502f312e;
const ONE = 0x31;
const QUOTE_LF = 0x220a;
// Copied into module-local constants, because V8 inlines only such constants.
const { target: TARGET, path: PATH, method: METHOD, query: QUERY } = FIELD_INDEX;

/**
 * Buffer for a request line in the form that `EndpointKey` expects: `METHOD target HTTP/x.y"` and
 * an LF, escaped like a quoted field in a log. The target contains neither a scheme nor a host.
 */
export class RequestLineCopy {
  /** The request line, starting at offset 0. Empty before the first request line. */
  bytes: Uint8Array = new Uint8Array();
  /** View of `bytes`. */
  view: DataView = new DataView(this.bytes.buffer);
  readonly #escapes: LogFormat["escapes"];
  readonly #hasRelativePath: boolean;
  readonly #splitter: LineSplitter;
  /** True if the values of the current line are percent-encoded once more, as by CloudFront. */
  #isEncoded = false;
  /** Buffer for an unescaped field. */
  #plain = new Uint8Array();

  /** Creates a buffer for the request lines of a log that `splitter` splits. */
  constructor({ escapes, hasRelativePath = false }: LogFormat, splitter: LineSplitter) {
    this.#escapes = escapes;
    this.#hasRelativePath = hasRelativePath;
    this.#splitter = splitter;
  }

  /** Copies the request line `bytes[from, to)`. */
  copyLine(bytes: Uint8Array, view: DataView, from: number, to: number): void {
    if (this.bytes.length === 0) this.#allocate();
    const target = findMethodEnd(bytes, from) + 1;
    const end = target > 0 ? findTargetEnd(bytes, target, to) : -1;
    const path = end > target && bytes[target] !== SLASH
      ? findAuthorityEnd(bytes, target, end)
      : -1;
    const isUrl = path >= 0 && path < end && bytes[path] === SLASH;
    const at = isUrl
      ? this.#copy(bytes, view, path, to, this.#copy(bytes, view, from, target, 0))
      : this.#copy(bytes, view, from, to, 0);
    this.view.setInt16(at, QUOTE_LF);
  }

  /**
   * Builds a request line from the method, the target (or path and query) and an HTTP version.
   * Returns false if `request` has no method or neither a target nor a path.
   */
  joinFields(bytes: Uint8Array, view: DataView, request: LogRequest): boolean {
    const { from, to } = request.spans;
    const target = from[TARGET] >= 0 ? TARGET : PATH;
    if (from[METHOD] < 0 || from[target] < 0) return false;
    if (this.bytes.length === 0) this.#allocate();
    this.#isEncoded = this.#escapes === "w3c" && this.#splitter.shape!.w3c!.isEncoded;
    const start = from[METHOD] | 0;
    const lacksSlash = this.#hasRelativePath && bytes[from[target]] !== SLASH;
    const isAdjacent = from[target] === to[METHOD] + 1 && !lacksSlash && !this.#isEncoded;
    let at = to[target] - start;
    if (isAdjacent && this.#copyBytes(view, start, to[target] | 0, -start)) {
      this.bytes[to[METHOD] - start] = SPACE;
    } else {
      at = this.#copy(bytes, view, start, to[METHOD], 0);
      this.bytes[at++] = SPACE;
      if (lacksSlash) this.bytes[at++] = SLASH;
      at = this.#copy(bytes, view, from[target], to[target], at);
    }
    if (target === PATH && request.has("query")) {
      if (bytes[from[QUERY]] !== QUESTION) this.bytes[at++] = QUESTION;
      at = this.#copy(bytes, view, from[QUERY], to[QUERY], at);
    }
    this.#addVersion(at | 0);
    return true;
  }

  /**
   * Allocates the buffers. Called on first use, because most formats that detection tries do not
   * need them.
   */
  #allocate(): void {
    this.bytes = new Uint8Array(MAX_LINE_BYTES * 4 + SLACK);
    this.view = new DataView(this.bytes.buffer);
    if (this.#escapes === "json" || this.#escapes === "w3c") {
      this.#plain = new Uint8Array(MAX_LINE_BYTES * 2);
    }
  }

  #addVersion(at: number): void {
    const { view } = this;
    view.setInt32(at, HTTP);
    view.setInt32(at + 4, VERSION);
    view.setUint8(at + 8, ONE);
    view.setInt16(at + 9, QUOTE_LF);
  }

  /**
   * Copies the field `bytes[from, to)` to offset `at` and escapes it like a quoted field in a log.
   * Returns the end offset of the copy.
   */
  #copy(bytes: Uint8Array, view: DataView, from: number, to: number, at: number): number {
    const end = to | 0;
    const shift = (at - from) | 0;
    const isEncoded = this.#isEncoded && indexOfByte(view, from, end, PERCENT) < end;
    if (this.#copyBytes(view, from | 0, end, shift) && !isEncoded) return end + shift;
    if (this.#escapes === "log") return at + to - from;
    if (this.#escapes === "none") return escapeField(bytes, from, to, this.bytes, at);
    const length = this.#escapes === "json"
      ? unescape(JSON_ESCAPES, bytes, from, to, this.#plain)
      : decodeW3c(bytes, from, to, isEncoded, this.#plain);
    return escapeField(this.#plain, 0, length, this.bytes, at);
  }

  /**
   * Copies the bytes `[from, to)` of `view` to the same offsets plus `shift`. Returns true if they
   * contain neither a quote nor a backslash and therefore need no escaping.
   */
  #copyBytes(view: DataView, from: number, to: number, shift: number): boolean {
    const copy = this.view;
    let odd = 0;
    // Four bytes at a time; see `byte_search.ts`.
    for (let i = from; i < to; i += 4) {
      let word = view.getInt32(i, true);
      if (to - i < 4) word &= (1 << ((to - i) << 3)) - 1;
      const x = word ^ QUOTES;
      const y = word ^ BACKSLASHES;
      odd |= (x - 0x01010101) & ~x | (y - 0x01010101) & ~y;
      copy.setInt32(i + shift, word, true);
    }
    return (odd & 0x80808080) === 0;
  }
}
