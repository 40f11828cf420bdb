import type {
  NameValue,
  RecordedRequest,
  RecordedResponse,
  RequestBody,
} from "../har/recording.ts";
import { isSafeMethod } from "./changes_data.ts";
import { percentDecodedText } from "./call_url.ts";

/** Headers that the client, its connection or its cookie jar sets. */
const DROPPED = new Set([
  ...["host", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"],
  ...["content-length", "accept-encoding", "cookie", "cookie2", "http2-settings"],
]);

/** For writes, they are kept: `If-None-Match: *` only creates, never overwrites. */
const CACHE_CONDITIONS = new Set(["if-none-match", "if-modified-since", "if-range"]);

/** Pattern for the names, in lower case, of headers that describe the browser and how it loads. */
export const BROWSER_HEADERS =
  "user-agent|sec-.*|dnt|cache-control|pragma|priority|purpose|upgrade-insecure-requests";

/** Joins headers of one name (RFC 9110). User info in the URL becomes a header, as in browsers. */
export function keptHeaders({ method, url, headers, body }: RecordedRequest): NameValue[] {
  const isRead = isSafeMethod(method);
  const kept = new Map<string, NameValue>();
  for (const header of headers) {
    const { name, value } = header;
    const key = name.toLowerCase();
    if (isDropped(key) || !isSendable(header)) continue;
    if (isRead && CACHE_CONDITIONS.has(key)) continue;
    if (key === "content-type" && isBoundToBody(value, body)) continue;
    const first = kept.get(key);
    if (first?.value === value) continue;
    kept.set(key, first ? { name: first.name, value: `${first.value}, ${value}` } : header);
  }
  const authorization = kept.has("authorization") ? undefined : basicAuthorization(url);
  if (authorization !== undefined) {
    kept.set("authorization", { name: "Authorization", value: authorization });
  }
  return [...kept.values()];
}

function isDropped(key: string): boolean {
  return key === "" || key.startsWith(":") || key.startsWith("proxy-") || DROPPED.has(key);
}

function basicAuthorization(url: string): string | undefined {
  if (!url.includes("@") || !/^https?:\/\/[^/?#]*@/i.test(url)) return undefined;
  const { username, password } = new URL(url);
  const plain = [username, password].map((text) => percentDecodedText(text, false));
  return `Basic ${new TextEncoder().encode(plain.join(":")).toBase64()}`;
}

/** Reports whether a type states the boundary of a body that the plan encodes again or lacks. */
function isBoundToBody(contentType: string, body: RequestBody | undefined): boolean {
  return body?.kind === "multipart" || (body === undefined && /^\s*multipart\//i.test(contentType));
}

/** Returns the invalid headers, also of body parts, that a plan omits. */
export function unsendableHeaders({ headers, body }: RecordedRequest): NameValue[] {
  const parts = body?.kind === "multipart" ? body.parts : [];
  const types = body === undefined ? [] : [body, ...parts].map(({ contentType = "" }) => (
    { name: "Content-Type", value: contentType }
  ));
  return [...headers, ...types]
    .filter((header) => !isSendable(header) && !isDropped(header.name.toLowerCase()));
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** RFC 9110. */
export function isSendableValue(value: string): boolean {
  return !/[\r\n\0]/.test(value);
}

function isSendable({ name, value }: NameValue): boolean {
  return HEADER_NAME.test(name) && isSendableValue(value);
}

const SET_COOKIE = "set-cookie";

/** Returns the names and values of the cookies that a response sets, in order. */
export function parseSetCookies(
  { headers }: Pick<RecordedResponse, "headers">,
): [name: string, value: string][] {
  const own = headers.filter(({ name }) =>
    name.length === SET_COOKIE.length && name.toLowerCase() === SET_COOKIE
  );
  // Some recorders join several headers with line breaks.
  return own.flatMap(({ value }) => value.split("\n")).map((line) => {
    const [, name = "", value = ""] = /^\s*([^=;\s]+)=([^;]*)/.exec(line) ?? [];
    return [name, value.trim()];
  });
}

/** Returns the names and values of the cookies that a request sends. */
export function cookiesOf(
  { headers }: Pick<RecordedRequest, "headers">,
): [name: string, value: string][] {
  return headers.filter(({ name }) => name.toLowerCase() === "cookie")
    .flatMap(({ value }) => [...value.matchAll(/([^=;\s]+)=([^;]*)/g)])
    .map(([, name, value]) => [name, value]);
}
