import { percentDecode } from "../correlate/percent_decode.ts";
import type { NameValue, RecordedRequest, RequestBody } from "../../traffic/har/exchange.ts";

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

/**
 * The headers that are sent again: names as recorded, repeated names joined as RFC 9110 says. A name and
 * password before the URL's host are sent as browsers send them, in an `Authorization` header.
 */
export function keptHeaders({ url, headers, body }: RecordedRequest): NameValue[] {
  const kept = new Map<string, NameValue>();
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    if (isDropped(key) || !isSendable({ name, value })) continue;
    if (key === "content-type" && isBoundToBody(value, body)) continue;
    const first = kept.get(key);
    kept.set(
      key,
      first ? { name: first.name, value: `${first.value}, ${value}` } : { name, value },
    );
  }
  const authorization = kept.has("authorization") ? undefined : basicAuthorization(url);
  if (authorization !== undefined) {
    kept.set("authorization", { name: "Authorization", value: authorization });
  }
  return [...kept.values()];
}

function basicAuthorization(url: string): string | undefined {
  if (!/^https?:\/\/[^/?#]*@/i.test(url)) return undefined;
  const { username, password } = new URL(url);
  const plain = [username, password].map((text) => percentDecode(text, false)?.value ?? text);
  return `Basic ${new TextEncoder().encode(plain.join(":")).toBase64()}`;
}

/** Reports whether a Content-Type names the boundary of a body that is written anew, or not at all. */
function isBoundToBody(contentType: string, body: RequestBody | undefined): boolean {
  return body?.kind === "multipart" || (body === undefined && /^\s*multipart\//i.test(contentType));
}

/** The headers that would be sent again if any client could send them, the body's type among them. */
export function unsendableHeaders({ headers, body }: RecordedRequest): NameValue[] {
  const fields = headers.filter(({ name }) => !isDropped(name.toLowerCase()));
  const types = bodyContentTypes(body).map((value) => ({ name: "Content-Type", value }));
  return [...fields, ...types].filter((field) => !isSendable(field));
}

function bodyContentTypes(body: RequestBody | undefined): string[] {
  if (body === undefined) return [];
  const parts = body.kind === "multipart" ? body.parts : [];
  return [body.contentType, ...parts.map(({ contentType = "" }) => contentType)];
}

/** Reports whether a header's value has no line break in it (RFC 9110). */
export function isSendableValue(value: string): boolean {
  return !/[\r\n\0]/.test(value);
}

/** RFC 9110: a name is a token, a value has no line break. */
function isSendable({ name, value }: NameValue): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && isSendableValue(value);
}

function isDropped(key: string): boolean {
  return key === "" || key.startsWith(":") || key.startsWith("proxy-") || DROPPED.has(key);
}
