import { EndpointKey } from "../endpoint_key.ts";
import { MAX_LINE_BYTES } from "../line_limit.ts";
import { unescapeField } from "../log_escapes.ts";
import { findAuthorityEnd, findMethodEnd, findTargetEnd } from "../request_line.ts";
import { FIELD_INDEX, type LogField, Spans } from "./log_fields.ts";

const SLASH = 0x2f;
const QUESTION = 0x3f;
const BACKSLASH = 0x5c;

/** The unescaped target of a request, without scheme and host. */
export interface RequestTarget {
  /** The bytes that contain the target. */
  readonly bytes: Uint8Array;
  /** Start of the path. */
  readonly from: number;
  /** End of the path, and start of the query with its `?`. */
  readonly pathEnd: number;
  /** End of the query. */
  readonly to: number;
}

/** The request of a line. One instance is reused, so its contents are valid for one line only. */
export class LogRequest {
  /** The bytes that contain the line. */
  bytes: Uint8Array = new Uint8Array();
  /** Offsets of the fields in `bytes`. */
  readonly spans: Spans = new Spans();
  /** Timestamp of the line in Unix milliseconds. */
  timeMs: number = 0;
  /** Whether the timestamp names its zone, or its notation implies UTC. */
  hasZone: boolean = true;
  /** Status of the response; 0 if the log has no status. */
  status: number = 0;
  /** Duration in milliseconds; -1 if the log has no duration. */
  durationMs: number = -1;
  /** Endpoint of the request. */
  readonly key: EndpointKey = new EndpointKey();
  /** The request line `METHOD target HTTP/x.y`, escaped as in a log: in the line or in a copy. */
  line: { bytes: Uint8Array; from: number; to: number } = { bytes: this.bytes, from: 0, to: 0 };
  #target: RequestTarget | undefined;
  readonly #unescaped = new Uint8Array(MAX_LINE_BYTES);

  /** Timestamp of the line in Unix seconds, rounded down. */
  get second(): number {
    return Math.floor(this.timeMs / 1_000);
  }

  /** Returns the raw bytes of a field, which the line must have. */
  raw(field: LogField): Uint8Array {
    return this.bytes.subarray(
      this.spans.from[FIELD_INDEX[field]],
      this.spans.to[FIELD_INDEX[field]],
    );
  }

  /** Reports whether the line has this field, and it is neither empty nor `-`. */
  has(field: LogField): boolean {
    const from = this.spans.from[FIELD_INDEX[field]];
    const length = this.spans.to[FIELD_INDEX[field]] - from;
    return from >= 0 && length > 0 && (length > 1 || this.bytes[from] !== 0x2d);
  }

  /** Returns the method. */
  method(): Uint8Array {
    const { bytes, from } = this.line;
    return bytes.subarray(from, findMethodEnd(bytes, from));
  }

  /** Returns the target, which is parsed on the first call for a line. */
  target(): RequestTarget {
    return this.#target ??= this.#readTarget();
  }

  /** Discards cached values; must be called after the contents change to another line. */
  reset(): void {
    this.#target = undefined;
  }

  #readTarget(): RequestTarget {
    const start = findMethodEnd(this.line.bytes, this.line.from) + 1;
    let { bytes } = this.line;
    let from = start;
    let to = findTargetEnd(bytes, start, this.line.to);
    if (bytes.subarray(from, to).includes(BACKSLASH)) {
      to = unescapeField(bytes, from, to, this.#unescaped);
      [bytes, from] = [this.#unescaped, 0];
    }
    if (bytes[from] !== SLASH) from = Math.max(from, findAuthorityEnd(bytes, from, to));
    let pathEnd = from;
    while (pathEnd < to && bytes[pathEnd] !== QUESTION) pathEnd++;
    return { bytes, from, pathEnd, to };
  }
}
