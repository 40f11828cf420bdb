import { EndpointKey } from "../endpoint_key.ts";
import { MAX_LINE_BYTES } from "../line_limit.ts";
import { unescapeField } from "../log_escapes.ts";
import { authorityEnd, methodEnd, targetEnd } from "../request_line.ts";
import { FIELD_INDEX, type LogField, Spans } from "./log_fields.ts";

const SLASH = 0x2f;
const QUESTION = 0x3f;
const BACKSLASH = 0x5c;

/** The request's target without scheme and host, its escapes undone. */
export interface RequestTarget {
  readonly bytes: Uint8Array;
  /** Where its path starts. */
  readonly from: number;
  /** Where its path ends and its query, `?` included, starts. */
  readonly pathEnd: number;
  readonly to: number;
}

/** What a line tells of a request. One is used for all lines: what is in it is valid for one only. */
export class LogRequest {
  /** The line, and where in it the fields stand. */
  bytes: Uint8Array = new Uint8Array();
  /** See `bytes`. */
  readonly spans: Spans = new Spans();
  /** The moment it is logged with, in milliseconds from 1970. */
  timeMs: number = 0;
  /** Whether the log names the zone of that time, or it is in UTC by its notation. */
  hasZone: boolean = true;
  /** The status of its response; 0 if the log has none. */
  status: number = 0;
  /** How long it took, in milliseconds; -1 when the log does not tell. */
  durationMs: number = -1;
  /** Its endpoint. */
  readonly key: EndpointKey = new EndpointKey();
  /** `METHOD target HTTP/x.y` as a log has it between quotes: in the line, or in a copy. */
  line: { bytes: Uint8Array; from: number; to: number } = { bytes: this.bytes, from: 0, to: 0 };
  #target: RequestTarget | undefined;
  readonly #unescaped = new Uint8Array(MAX_LINE_BYTES);

  /** The second it is logged with, from 1970. */
  get second(): number {
    return Math.floor(this.timeMs / 1_000);
  }

  /** A field as it stands in the line, which must have it. */
  raw(field: LogField): Uint8Array {
    return this.bytes.subarray(
      this.spans.from[FIELD_INDEX[field]],
      this.spans.to[FIELD_INDEX[field]],
    );
  }

  /** Whether the line has this field, and something else than `-` in it. */
  has(field: LogField): boolean {
    const from = this.spans.from[FIELD_INDEX[field]];
    const length = this.spans.to[FIELD_INDEX[field]] - from;
    return from >= 0 && length > 0 && (length > 1 || this.bytes[from] !== 0x2d);
  }

  /** Its method. */
  method(): Uint8Array {
    const { bytes, from } = this.line;
    return bytes.subarray(from, methodEnd(bytes, from));
  }

  /** Its target. */
  target(): RequestTarget {
    return this.#target ??= this.#readTarget();
  }

  /** To be called when another line has been put in. */
  reset(): void {
    this.#target = undefined;
  }

  #readTarget(): RequestTarget {
    const start = methodEnd(this.line.bytes, this.line.from) + 1;
    let { bytes } = this.line;
    let from = start;
    let to = targetEnd(bytes, start, this.line.to);
    if (bytes.subarray(from, to).includes(BACKSLASH)) {
      to = unescapeField(bytes, from, to, this.#unescaped);
      [bytes, from] = [this.#unescaped, 0];
    }
    if (bytes[from] !== SLASH) from = Math.max(from, authorityEnd(bytes, from, to));
    let pathEnd = from;
    while (pathEnd < to && bytes[pathEnd] !== QUESTION) pathEnd++;
    return { bytes, from, pathEnd, to };
  }
}
