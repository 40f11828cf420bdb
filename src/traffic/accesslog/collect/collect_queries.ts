import { EndpointValues } from "./endpoint_values.ts";
import { writePercent } from "../read/text/escapes.ts";
import type { LogRequest } from "../read/log_request.ts";

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
 * Writes a part of a URL, `bytes[from, to)`, to `out`, with unsafe bytes percent-encoded. Returns
 * the number of bytes written, or -1 if `out` may be too small.
 */
export function writeUrl(bytes: Uint8Array, from: number, to: number, out: Uint8Array): number {
  if ((to - from) * 3 > out.length) return -1;
  let length = 0;
  for (let i = from; i < to; i++) {
    const byte = bytes[i];
    if (UNSAFE[byte] === 0) out[length++] = byte;
    else length = writePercent(byte, out, length);
  }
  return length;
}
