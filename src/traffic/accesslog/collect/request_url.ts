import { COLON, COMMA, QUESTION, SLASH, SPACE } from "../../../base/ascii.ts";
import { MAX_LINE_BYTES, writePercent } from "../read/field_text.ts";
import type { LogField } from "../read/log_format.ts";
import { type IdSink, type LogRequest, writeRoute } from "../read/log_request.ts";
import { EndpointValues } from "./endpoint_values.ts";

const MAX_BYTES = 260;
const HOST = /^(?:[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** The raw host field, or the authority of an absolute URL. */
export function rawHost(request: LogRequest): Uint8Array | undefined {
  if (request.has("host")) return request.raw("host");
  return authority(request, "request") ?? authority(request, "target");
}

/** Returns a host in lower case, without the ports 80 and 443. Undefined if it is invalid. */
export function parseHost(raw: Uint8Array): string | undefined {
  if (raw.length > MAX_BYTES) return undefined;
  const host = String.fromCharCode(...raw).toLowerCase().replace(/^.*@/, "").replace(/\.$/, "");
  return HOST.test(host) ? host.replace(/:(?:80|443)$/, "") : undefined;
}

function authority(request: LogRequest, field: LogField): Uint8Array | undefined {
  if (!request.has(field)) return undefined;
  const bytes = request.raw(field);
  let at = field === "request" ? bytes.indexOf(SPACE) + 1 : 0;
  const start = at;
  while (isSchemeByte(bytes[at])) at++;
  if (at === start || bytes[at] !== COLON || bytes[at + 1] !== SLASH || bytes[at + 2] !== SLASH) {
    return undefined;
  }
  const from = at + 3;
  let to = from;
  while (to < bytes.length && !isAuthorityEnd(bytes[to])) to++;
  return to > from ? bytes.subarray(from, to) : undefined;
}

function isAuthorityEnd(byte: number): boolean {
  return byte === SLASH || byte === QUESTION || byte === SPACE;
}

function isSchemeByte(byte: number): boolean {
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x7a || byte >= 0x30 && byte <= 0x39 || byte === 0x2b ||
    byte === 0x2d || byte === 0x2e;
}

const MAX_IDS = 1 << 18;

/** Counts ids with the query by endpoint: joined with commas, then `?query` or nothing. */
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

/** Maximum number of distinct query strings, per endpoint, that are counted exactly. */
const MAX_QUERIES = 1 << 18;

/** 1 for bytes that would end or change the URL. */
const UNSAFE = Uint8Array.from(
  { length: 256 },
  (_, byte) =>
    byte <= 0x20 || byte >= 0x7f || '"#<>\\{}'.includes(String.fromCharCode(byte)) ? 1 : 0,
);

/** Counts query strings by endpoint. A value starts with `?`, or is empty. */
export function collectQueries(): EndpointValues {
  return new EndpointValues(
    "queries",
    MAX_QUERIES,
    ({ target: { bytes, pathEnd, to } }, out) => writeUrl(bytes, pathEnd, to, out),
  );
}

/** Writes percent-encoded URL bytes. Returns the end offset, or -1 if `out` may be too small. */
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
