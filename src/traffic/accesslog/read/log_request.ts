import * as ascii from "../../../base/ascii.ts";
import { EndpointKey } from "./endpoint/endpoint_key.ts";
import { findAuthorityEnd, findMethodEnd, findTargetEnd } from "./endpoint/request_line.ts";
import { FIELD_INDEX, type LogField, type MalformedReason, Spans } from "./line_splitter.ts";
import { MAX_LINE_BYTES } from "./text/bytes.ts";
import { LOG_ESCAPES, unescape } from "./text/escapes.ts";

const { BACKSLASH, HASH, QUESTION, SLASH } = ascii;

/**
 * Unescaped target of a request (path and query), without the scheme and host. Offsets refer to
 * `bytes`.
 */
export interface RequestTarget {
  /** Buffer that contains the target. */
  bytes: Uint8Array;
  /** Offset of the start of the path. */
  from: number;
  /** End offset of the path. If the target has a query, its `?` is at this offset. */
  pathEnd: number;
  /** End offset of the target, including its query. */
  to: number;
}

/** Maximum of `LogRequest.endpoint`. */
export const MAX_NUMBER = 0xffff;

/**
 * The request in a log line. One instance is reused for all lines, so its contents are valid only
 * until the next line is read.
 */
export class LogRequest {
  /** Buffer that contains the line. */
  bytes: Uint8Array = new Uint8Array();
  /** Offsets of the fields in `bytes`. */
  readonly spans: Spans = new Spans();
  /** Timestamp of the line in Unix milliseconds. */
  timeMs: number = 0;
  /** True if the timestamp contains its zone or its notation implies UTC. */
  hasZone: boolean = true;
  /** Byte offset of the line in the log. Set only for requests that pass all filters. */
  offset: number = 0;
  /** HTTP status of the response; 0 if the line has no status. */
  status: number = 0;
  /**
   * Duration of the request in milliseconds; -1 if the line has no duration or the duration is
   * invalid.
   */
  durationMs: number = -1;
  /** Endpoint (method and route) of the request. */
  readonly key: EndpointKey = new EndpointKey();
  /**
   * Request line `METHOD target HTTP/x.y`, escaped as in a log: `bytes[from, to)`. `bytes` is the
   * buffer of the log line or of a copy of the request line.
   */
  line: { bytes: Uint8Array; from: number; to: number } = { bytes: this.bytes, from: 0, to: 0 };
  /**
   * Number of the endpoint, at most `MAX_NUMBER`, or -1 if it has none. The number is valid only
   * for requests with the same `generation`.
   */
  endpoint: number = -1;
  /** Visitor number, or -1 if it was not computed yet; see `visitorOf`. */
  visitor: number = -1;
  /** Generation of the numbers, which changes when numbering restarts from 0. */
  generation: number = 0;
  /** End offset of the method in the request line; -1 before it is known. */
  methodTo: number = -1;
  #target: RequestTarget | undefined;
  readonly #unescaped = new Uint8Array(MAX_LINE_BYTES);

  /** Timestamp of the line in Unix seconds, rounded down. */
  get second(): number {
    return Math.floor(this.timeMs / 1_000);
  }

  /**
   * Returns a view of a field's bytes, which are still escaped. The line must have the field, so
   * check `spans` first.
   */
  raw(field: LogField): Uint8Array {
    return this.bytes.subarray(
      this.spans.from[FIELD_INDEX[field]],
      this.spans.to[FIELD_INDEX[field]],
    );
  }

  /** Reports whether the line has this field and its value is neither empty nor `-`. */
  has(field: LogField): boolean {
    const from = this.spans.from[FIELD_INDEX[field]];
    const length = this.spans.to[FIELD_INDEX[field]] - from;
    return from >= 0 && length > 0 && (length > 1 || this.bytes[from] !== 0x2d);
  }

  /** Returns the HTTP method as a view of the request line. */
  method(): Uint8Array {
    const { bytes, from } = this.line;
    if (this.methodTo < 0) this.methodTo = findMethodEnd(bytes, from);
    return bytes.subarray(from, this.methodTo);
  }

  /** Copies the HTTP method to the start of `out`. Returns its length. */
  writeMethod(out: Uint8Array): number {
    const { bytes, from } = this.line;
    if (this.methodTo < 0) this.methodTo = findMethodEnd(bytes, from);
    for (let i = from; i < this.methodTo; i++) out[i - from] = bytes[i];
    return this.methodTo - from;
  }

  /** Returns the request target. Parses it on the first call for each line and then caches it. */
  target(): RequestTarget {
    return this.#target ??= this.#readTarget();
  }

  /** Discards the values that were cached for the previous line. Call it for each new line. */
  reset(): void {
    this.#target = undefined;
    this.methodTo = -1;
  }

  /** Sets the request target to `bytes[from, to)`. Its path ends at offset `pathEnd`. */
  setTarget(bytes: Uint8Array, from: number, pathEnd: number, to: number): void {
    const target = this.#target ??= { bytes, from, pathEnd, to };
    target.bytes = bytes;
    target.from = from;
    target.pathEnd = pathEnd;
    target.to = to;
  }

  #readTarget(): RequestTarget {
    const start = findMethodEnd(this.line.bytes, this.line.from) + 1;
    let { bytes } = this.line;
    let from = start;
    let to = findTargetEnd(bytes, start, this.line.to);
    if (bytes.subarray(from, to).includes(BACKSLASH)) {
      to = unescape(LOG_ESCAPES, bytes, from, to, this.#unescaped);
      [bytes, from] = [this.#unescaped, 0];
    }
    if (bytes[from] !== SLASH) from = Math.max(from, findAuthorityEnd(bytes, from, to));
    let pathEnd = from;
    while (pathEnd < to && bytes[pathEnd] !== QUESTION && bytes[pathEnd] !== HASH) pathEnd++;
    // The rest is a fragment, which clients must not send.
    if (bytes[pathEnd] === HASH) to = pathEnd;
    return { bytes, from, pathEnd, to };
  }
}

/** A malformed log line: one that contains no valid request. */
export interface MalformedLine {
  readonly reason: MalformedReason;
  /**
   * Zero-based byte offset of the start of the line, counted across all logs in the order in which
   * they are read.
   */
  readonly offset: number;
  /** One-based line number across all logs in the order in which they are read. */
  readonly line: number;
  /** Beginning of the line, as written in the log, at most 4 KiB of UTF-8. */
  readonly text: string;
  /** Name of the log format that the line matches; absent if it matches none or is not known yet. */
  readonly format?: string;
}
