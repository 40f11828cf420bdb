import { COMMA, SLASH } from "../../../base/ascii.ts";
import {
  isId,
  isNormalPath,
  SEGMENT_CLASS,
  writeTemplateText,
} from "../read/endpoint/request_line.ts";
import type { LogRequest } from "../read/log_request.ts";
import { writePercent } from "../read/text/escapes.ts";
import { MAX_LINE_BYTES } from "../read/text/bytes.ts";
import { EndpointValues } from "./endpoint_values.ts";

/** Maximum number of distinct ids that are counted exactly, across all endpoints. */
const MAX_IDS = 1 << 18;

/**
 * Creates a collector that counts the ids in request paths by endpoint, together with the query, so
 * that a plan can send both of one request. A value is the ids, joined with commas, and the query,
 * which starts with `?` unless it is empty.
 */
export function collectIds(): EndpointValues {
  const normal = new Uint8Array(MAX_LINE_BYTES * 3);
  return new EndpointValues("ids", MAX_IDS, (request, out) => {
    if (!request.key.route.hasId) return -1;
    const { bytes, from, pathEnd, to } = request.target();
    const ids = isNormalPath(bytes, from, pathEnd)
      ? writeIds(bytes, from, pathEnd, out)
      : writeIds(normal, 0, writeTemplateText(bytes, from, pathEnd, normal), out);
    return ids < 0 ? -1 : writeUrl(bytes, pathEnd, to, out, ids);
  });
}

/**
 * Writes the ids in the path `bytes[from, pathEnd)` to `out`, joined by commas. Returns the number
 * of bytes written, or -1 if the path contains no id or `out` is too small.
 */
function writeIds(bytes: Uint8Array, from: number, pathEnd: number, out: Uint8Array): number {
  let length = 0;
  for (let start = from; start < pathEnd;) {
    let end = start + 1;
    let classes = 0;
    for (; end < pathEnd && bytes[end] !== SLASH; end++) classes |= SEGMENT_CLASS[bytes[end]];
    if (isId(bytes, start + 1, end, classes)) {
      if (length + end - start > out.length) return -1;
      if (length > 0) out[length++] = COMMA;
      for (let i = start + 1; i < end; i++) out[length++] = bytes[i];
    }
    start = end;
  }
  return length === 0 ? -1 : length;
}

/**
 * Maximum number of distinct query strings that are counted exactly. A query string that occurs at
 * several endpoints counts once for each of them.
 */
const MAX_QUERIES = 1 << 18;

/**
 * Lookup table by byte value: 1 for bytes that must be percent-encoded in a query string, because
 * they would otherwise end or change the URL.
 */
const UNSAFE = Uint8Array.from(
  { length: 256 },
  (_, byte) =>
    byte <= 0x20 || byte >= 0x7f || '"#<>\\{}'.includes(String.fromCharCode(byte)) ? 1 : 0,
);

/**
 * Creates a collector that counts query strings by endpoint. Each value starts with `?`, or is
 * empty if the request has no query.
 */
export function collectQueries(): EndpointValues {
  return new EndpointValues("queries", MAX_QUERIES, writeQuery);
}

function writeQuery(request: LogRequest, out: Uint8Array): number {
  const { bytes, pathEnd, to } = request.target();
  return writeUrl(bytes, pathEnd, to, out);
}

/**
 * Writes a part of a URL, `bytes[from, to)`, to `out` at offset `at`, with unsafe bytes
 * percent-encoded. Returns the end offset, or -1 if `out` may be too small.
 */
export function writeUrl(
  bytes: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  at = 0,
): number {
  if ((to - from) * 3 > out.length - at) return -1;
  let length = at;
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    if (UNSAFE[byte] === 0) out[length++] = byte;
    else length = writePercent(byte, out, length);
  }
  return length;
}
