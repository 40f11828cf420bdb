import type { NameValue, RecordedRequest, RequestBody } from "../har/recording.ts";
import { percentDecodedText } from "./percent_decode.ts";

/**
 * Names of headers that the plan does not send: those that the client or its connection sets, cookies
 * (the cookie jar sends them), and conditional headers of a browser cache. `If-Match` and
 * `If-Unmodified-Since` are kept, because they guard writes.
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
 * Returns the headers that the plan sends, with their recorded names. Joins the values of headers that
 * have the same name (RFC 9110). Converts user info in the URL to an `Authorization` header, as
 * browsers do.
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
  const plain = [username, password].map((text) => percentDecodedText(text, false));
  return `Basic ${new TextEncoder().encode(plain.join(":")).toBase64()}`;
}

/** Reports whether a `Content-Type` has the boundary of a body that the plan re-encodes or lacks. */
function isBoundToBody(contentType: string, body: RequestBody | undefined): boolean {
  return body?.kind === "multipart" || (body === undefined && /^\s*multipart\//i.test(contentType));
}

/**
 * Returns the headers of a request and its body that the plan omits because their name or value is
 * invalid in HTTP.
 */
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

/** Reports whether a header value contains neither a line break nor NUL, as RFC 9110 requires. */
export function isSendableValue(value: string): boolean {
  return !/[\r\n\0]/.test(value);
}

/**
 * Reports whether a header's name is a token and its value contains neither a line break nor NUL, as
 * RFC 9110 requires.
 */
function isSendable({ name, value }: NameValue): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && isSendableValue(value);
}

function isDropped(key: string): boolean {
  return key === "" || key.startsWith(":") || key.startsWith("proxy-") || DROPPED.has(key);
}
