import { EndpointValues } from "./endpoint_values.ts";
import type { LogRequest } from "./lines/log_request.ts";

/** The most different query strings, each of an endpoint, that are counted exactly. */
const MOST_QUERIES = 1 << 18;
const HEX = new TextEncoder().encode("0123456789ABCDEF");

/** What cannot stand in a query as it is: a URL would end there, or change. */
const UNSAFE = Uint8Array.from(
  { length: 256 },
  (_, byte) =>
    byte <= 0x20 || byte >= 0x7f || '"#<>\\{}'.includes(String.fromCharCode(byte)) ? 1 : 0,
);

/** The query strings of a log with the `?` before them, empty where there was none, by endpoint. */
export function seenQueries(): EndpointValues {
  return new EndpointValues(MOST_QUERIES, writeQuery);
}

function writeQuery(request: LogRequest, out: Uint8Array): number {
  const { bytes, pathEnd, to } = request.target();
  if ((to - pathEnd) * 3 > out.length) return -1;
  let length = 0;
  for (let i = pathEnd; i < to; i++) {
    const byte = bytes[i];
    if (UNSAFE[byte] === 0) out[length++] = byte;
    else {
      out[length++] = 0x25;
      out[length++] = HEX[byte >> 4];
      out[length++] = HEX[byte & 15];
    }
  }
  return length;
}
