import * as ascii from "../../../base/ascii.ts";
import {
  decodeW3c,
  hasByte,
  JSON_ESCAPES,
  LOG_ESCAPES,
  MAX_LINE_BYTES,
  unescape,
} from "./field_text.ts";
import { FIELD_INDEX, type NoRequest } from "./line_splitter.ts";
import type { LogFormat } from "./log_format.ts";
import type { LogRequest } from "./log_request.ts";

const { BACKSLASH, COLON, DOT, HASH, QUESTION, SLASH, SPACE, STAR } = ascii;
const LETTER_C = 0x43;
const LETTER_P = 0x50;
const MAX_METHOD_BYTES = 32;
/**
 * Methods without an endpoint: CONNECT opens a proxy tunnel, and PRI starts the preface of an
 * HTTP/2 connection.
 */
const NO_ENDPOINT = ["CONNECT", "PRI"].map((method) => new TextEncoder().encode(method));
const METHOD_BYTE = bytesLike(/[A-Z0-9_-]/);
const SCHEME_BYTE = bytesLike(/[A-Za-z0-9+.-]/);
const { target: TARGET, path: PATH, method: METHOD, query: QUERY } = FIELD_INDEX;

/** Reason why a line contains no valid method and target. */
export type NoTarget = Extract<NoRequest, "no-request" | "bad-request">;

/**
 * Reads the method and the target of a request from its line, from a request line or from separate
 * fields. Undoes the escapes of the log.
 */
export class RequestLineReader {
  readonly #request: LogRequest;
  readonly #escapes: LogFormat["escapes"];
  readonly #hasRelativePath: boolean;
  /** Buffer for unescaped fields, allocated on first use. */
  #plain = new Uint8Array();

  /** Creates a reader that sets the method, the target and the key of `request`. */
  constructor(request: LogRequest, format: Pick<LogFormat, "escapes" | "hasRelativePath">) {
    this.#request = request;
    this.#escapes = format.escapes;
    this.#hasRelativePath = format.hasRelativePath === true;
  }

  /**
   * Reads the request line `METHOD target HTTP/x.y` or `METHOD target` in `bytes[from, to)`.
   * Returns the reason if it is invalid.
   */
  readLine(bytes: Uint8Array, from: number, to: number): NoTarget | undefined {
    if (this.#escapes === "json" && hasByte(bytes, from, to, BACKSLASH)) {
      const end = this.#decode(bytes, from, to, 0, false);
      [bytes, from, to] = [this.#plain, 0, end];
    }
    const space = findMethodEnd(bytes, from, to);
    const end = space < 0 ? -1 : findTargetEnd(bytes, space + 1, to);
    if (end < 0) return "bad-request";
    this.#setMethod(bytes, from, space);
    if (this.#escapes !== "log" || !hasByte(bytes, space, end, BACKSLASH)) {
      return this.#setTarget(bytes, space + 1, end);
    }
    const length = this.#decode(bytes, space + 1, end, 0, false);
    return this.#setTarget(this.#plain, 0, length);
  }

  /**
   * Reads the request from the fields for the method, and for the target, or the path and the
   * query. `isEncoded` states whether their values are percent-encoded once more. Returns the
   * reason if the line contains no valid request.
   */
  readFields(bytes: Uint8Array, isEncoded: boolean): NoTarget | undefined {
    const { from, to } = this.#request.spans;
    const target = from[TARGET] >= 0 ? TARGET : PATH;
    if (from[METHOD] < 0 || from[target] < 0) return "no-request";
    if (!this.#readMethod(bytes, from[METHOD], to[METHOD])) return "bad-request";
    const lacksSlash = this.#hasRelativePath && bytes[from[target]] !== SLASH;
    const hasQuery = target === PATH && this.#request.has("query");
    let end = lacksSlash ? 1 : 0;
    end = this.#decode(bytes, from[target], to[target], end, isEncoded);
    if (lacksSlash) this.#plain[0] = SLASH;
    if (hasQuery) {
      if (bytes[from[QUERY]] !== QUESTION) this.#plain[end++] = QUESTION;
      end = this.#decode(bytes, from[QUERY], to[QUERY], end, isEncoded);
    }
    return this.#setTarget(this.#plain, 0, end);
  }

  /** Reads the method from its own field. Reports whether it is valid. */
  #readMethod(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.#escapes === "json" && hasByte(bytes, from, to, BACKSLASH)) {
      // A copy, because the target needs the buffer.
      const length = this.#decode(bytes, from, to, 0, false);
      [bytes, from, to] = [this.#plain.slice(0, length), 0, length];
    }
    const end = findMethodEnd(bytes, from, to, true);
    if (end < 0) return false;
    this.#setMethod(bytes, from, end);
    return true;
  }

  #setMethod(bytes: Uint8Array, from: number, to: number): void {
    const { methodAt } = this.#request;
    methodAt.bytes = bytes;
    methodAt.from = from;
    methodAt.to = to;
  }

  /**
   * Sets the target to the unescaped text `bytes[from, to)`. Returns the reason if it is invalid.
   */
  #setTarget(bytes: Uint8Array, from: number, to: number): NoTarget | undefined {
    const { target, key, methodAt } = this.#request;
    const isPath = from < to && bytes[from] === SLASH || bytes[from] === STAR && to - from === 1;
    const start = isPath ? from : findAuthorityEnd(bytes, from, to);
    if (start < 0) return "bad-request";
    let pathEnd = start;
    while (pathEnd < to && bytes[pathEnd] !== QUESTION && bytes[pathEnd] !== HASH) pathEnd++;
    target.bytes = bytes;
    target.from = start;
    target.pathEnd = pathEnd;
    // The rest is a fragment, which clients must not send.
    target.to = pathEnd < to && bytes[pathEnd] === HASH ? pathEnd : to;
    key.write(methodAt.bytes, methodAt.from, methodAt.to, target);
    return undefined;
  }

  /**
   * Writes the field `bytes[from, to)` without its escapes to the buffer at `at`. Returns the end
   * offset.
   */
  #decode(bytes: Uint8Array, from: number, to: number, at: number, isEncoded: boolean): number {
    if (this.#plain.length === 0) this.#plain = new Uint8Array(MAX_LINE_BYTES * 2);
    const out = this.#plain.subarray(at);
    switch (this.#escapes) {
      case "w3c":
        return at + decodeW3c(bytes, from, to, isEncoded, out);
      case "none":
        out.set(bytes.subarray(from, to));
        return at + to - from;
      default:
        return at +
          unescape(this.#escapes === "json" ? JSON_ESCAPES : LOG_ESCAPES, bytes, from, to, out);
    }
  }
}

/**
 * Returns the end offset of the method (`[A-Z][A-Z0-9_-]{0,31}`) at `from`. Returns -1 if it is
 * invalid, is CONNECT or PRI, or neither ends at `to` (if `isWhole` is true) nor before a space.
 */
function findMethodEnd(bytes: Uint8Array, from: number, to: number, isWhole = false): number {
  if (from >= to || bytes[from] < 0x41 || bytes[from] > 0x5a) return -1;
  let i = from + 1;
  while (i < to && METHOD_BYTE[bytes[i]] === 1) i++;
  if ((isWhole ? i < to : i >= to || bytes[i] !== SPACE) || i - from > MAX_METHOD_BYTES) return -1;
  // For most methods, the first letter already rules out CONNECT and PRI.
  const isOdd = bytes[from] === LETTER_C || bytes[from] === LETTER_P;
  return isOdd && hasNoEndpoint(bytes, from, i) ? -1 : i;
}

// A separate function, so that `findMethodEnd` does not allocate a closure on every call.
function hasNoEndpoint(bytes: Uint8Array, from: number, to: number): boolean {
  return NO_ENDPOINT.some((method) =>
    method.length === to - from && method.every((byte, i) => byte === bytes[from + i])
  );
}

/**
 * Returns the end offset of the target at `from`, or -1 if it contains spaces and no version
 * follows it. `to` is the end of the request line.
 */
function findTargetEnd(bytes: Uint8Array, from: number, to: number): number {
  const long = to - " HTTP/1.1".length;
  const hasMinor = bytes[to - 2] === DOT && isDigit(bytes[to - 1]);
  if (long >= from && hasMinor && isVersion(bytes, long)) return long;
  const short = to - " HTTP/1".length;
  if (short >= from && isVersion(bytes, short)) return short;
  for (let i = from; i < to; i++) if (bytes[i] === SPACE) return -1;
  return to;
}

/**
 * Returns the end offset of the `scheme://authority` at `from`, or -1 if `bytes[from, to)` does not
 * start with a scheme and a non-empty authority.
 */
function findAuthorityEnd(bytes: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && SCHEME_BYTE[bytes[i]] === 1) i++;
  const isScheme = i > from && isLetter(bytes[from]) && bytes[i] === COLON &&
    bytes[i + 1] === SLASH && bytes[i + 2] === SLASH;
  const authority = i + 3;
  if (!isScheme || authority > to) return -1;
  for (i = authority; i < to && bytes[i] !== SLASH && bytes[i] !== QUESTION;) i++;
  return i === authority ? -1 : i;
}

/** Reports whether ` HTTP/`, followed by a digit, is at `at`. */
function isVersion(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === SPACE && bytes[at + 1] === 0x48 && bytes[at + 2] === 0x54 &&
    bytes[at + 3] === 0x54 && bytes[at + 4] === 0x50 && bytes[at + 5] === SLASH &&
    isDigit(bytes[at + 6]);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

/**
 * Returns a lookup table by byte value: 1 for bytes whose character matches `pattern`, otherwise 0.
 */
function bytesLike(pattern: RegExp): Uint8Array {
  return Uint8Array.from(
    { length: 256 },
    (_, byte) => pattern.test(String.fromCharCode(byte)) ? 1 : 0,
  );
}
