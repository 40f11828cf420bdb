import { COLON, QUESTION, SLASH, SPACE } from "../../../base/ascii.ts";
import type { LogField } from "../read/log_fields.ts";
import type { LogRequest } from "../read/log_request.ts";

/** Maximum length of a host including its port, in bytes. */
const MAX_BYTES = 260;
const HOST = /^(?:[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/**
 * Returns the host to which a request was sent, as raw bytes: the host field of the line, or the
 * authority of an absolute URL. Returns undefined if the line has neither.
 */
export function rawHost(request: LogRequest): Uint8Array | undefined {
  if (request.has("host")) return request.raw("host");
  return authority(request, "request") ?? authority(request, "target");
}

/**
 * Parses a raw host. Returns it in lower case and without the ports 80 and 443, or undefined if it
 * is not a valid host.
 */
export function parseHost(raw: Uint8Array): string | undefined {
  if (raw.length > MAX_BYTES) return undefined;
  const host = String.fromCharCode(...raw).toLowerCase().replace(/^.*@/, "").replace(/\.$/, "");
  return HOST.test(host) ? host.replace(/:(?:80|443)$/, "") : undefined;
}

/**
 * Returns the authority of the absolute URL in a field, or undefined if the field contains no
 * absolute URL.
 */
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
