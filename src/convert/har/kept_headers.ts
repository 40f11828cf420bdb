import type { Field, RecordedRequest } from "../../traffic/har/exchange.ts";

/**
 * What a client or its connection writes by itself, what the cookie jar replays, and the conditions of a
 * warm cache (`If-Match` and `If-Unmodified-Since` guard writes: they stay).
 */
const DROPPED = new Set([
  "host",
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "content-length",
  "accept-encoding",
  "cookie",
  "cookie2",
  "http2-settings",
  "if-none-match",
  "if-modified-since",
  "if-range",
]);

/** The headers that are sent again: names as recorded, repeated names joined as RFC 9110 says. */
export function keptHeaders({ headers, body }: RecordedRequest): Field[] {
  const kept = new Map<string, Field>();
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    if (isDropped(key) || !isSendable({ name, value })) continue;
    if (key === "content-type" && body?.kind === "multipart") continue;
    const first = kept.get(key);
    kept.set(
      key,
      first ? { name: first.name, value: `${first.value}, ${value}` } : { name, value },
    );
  }
  return [...kept.values()];
}

/** The headers that would be sent again if any client could send them. */
export function unsendableHeaders({ headers }: RecordedRequest): Field[] {
  return headers.filter((field) => !isDropped(field.name.toLowerCase()) && !isSendable(field));
}

/** RFC 9110: a name is a token, a value has no line break. */
function isSendable({ name, value }: Field): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/[\r\n\0]/.test(value);
}

function isDropped(key: string): boolean {
  return key === "" || key.startsWith(":") || key.startsWith("proxy-") || DROPPED.has(key);
}
