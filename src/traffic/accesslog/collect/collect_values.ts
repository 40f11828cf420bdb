import { COMMA } from "../../../base/ascii.ts";
import { MAX_LINE_BYTES, writePercent } from "../read/field_text.ts";
import { type IdSink, writeRoute } from "../read/log_request.ts";
import { EndpointValues } from "./endpoint_values.ts";

const MAX_IDS = 1 << 18;

/**
 * Creates a collector that counts the ids in request paths by endpoint, together with the query, so
 * that a plan can send both of one request. A value is the ids, joined with commas, and the query,
 * which starts with `?` unless it is empty.
 */
export function collectIds(): EndpointValues {
  const route = new Uint8Array(MAX_LINE_BYTES * 3);
  let value = route;
  /** Length of the ids in `value`, or -1 if they do not fit. */
  let length = 0;
  const addId: IdSink = (path, from, to) => {
    if (length < 0 || length + 1 + to - from > value.length) length = -1;
    else {
      if (length > 0) value[length++] = COMMA;
      for (let i = from; i < to; i++) value[length++] = path[i];
    }
    return from;
  };
  return new EndpointValues("ids", MAX_IDS, ({ key, target }, out) => {
    if (!key.hasId) return -1;
    [value, length] = [out as typeof value, 0];
    writeRoute(target.bytes, target.from, target.pathEnd, route, 0, addId);
    return length < 0 ? -1 : writeUrl(target.bytes, target.pathEnd, target.to, out, length);
  });
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
  return new EndpointValues(
    "queries",
    MAX_QUERIES,
    ({ target: { bytes, pathEnd, to } }, out) => writeUrl(bytes, pathEnd, to, out),
  );
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
