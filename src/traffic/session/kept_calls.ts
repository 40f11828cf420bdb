import { httpOrigin } from "../har/http_origin.ts";
import type { Exchange, NameValue, RecordedRequest, RequestBody } from "../har/recording.ts";
import { isStaticCall } from "../har/response.ts";
import { percentDecodedText } from "./call_url.ts";
import { isSafeMethod } from "./recorded_call.ts";

/** Options that select the calls that a plan sends. An absent or empty option selects all calls. */
export interface CallSelection {
  /**
   * Origins or hosts of the calls to keep, such as `api.example.com`. Must include `:port` unless
   * the port is the default.
   */
  readonly origins?: readonly string[];
  /** Regular expressions. A call is kept only if its URL matches at least one of them. */
  readonly include?: readonly RegExp[];
  /** Regular expressions. A call is excluded if its URL matches at least one of them. */
  readonly exclude?: readonly RegExp[];
  /** If true, calls for static assets are kept. */
  readonly keepStatic?: boolean;
}

/** Reports whether all options except `keepStatic` select a URL. */
export function isSelected(url: string, selection: CallSelection): boolean {
  return isOriginKept(url, selection.origins) && matchesFilters(url, selection);
}

/**
 * Reports whether `origins` contains the origin or host of a URL. If `origins` is undefined,
 * returns true.
 */
function isOriginKept(url: string, origins: readonly string[] | undefined): boolean {
  if (origins === undefined) return true;
  const { origin, host } = new URL(url);
  return origins.some((one) => [origin, host].includes(one.toLowerCase()));
}

/**
 * Reports whether `include` and `exclude` select a URL. Both are tested against the URL without its
 * fragment.
 */
function matchesFilters(
  url: string,
  { include = [], exclude = [] }: CallSelection,
): boolean {
  if (include.length === 0 && exclude.length === 0) return true;
  const sent = url.replace(/#.*$/s, "");
  return (include.length === 0 || include.some((pattern) => pattern.test(sent))) &&
    !exclude.some((pattern) => pattern.test(sent));
}

/** Returns the number of calls to each origin, sorted by number of calls, highest first. */
export function countOrigins(exchanges: readonly Exchange[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { request } of exchanges) {
    const origin = httpOrigin(request.url);
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

/** The calls of a recording that the plan sends, and those that it excludes. */
export interface KeptCalls {
  readonly exchanges: readonly Exchange[];
  /**
   * Calls that are not part of the session, such as static assets, keyed by the reason for
   * exclusion.
   */
  readonly dropped: ReadonlyMap<DropKind, readonly Exchange[]>;
  /** Calls excluded because the user did not select their origin. */
  readonly otherOrigins: readonly Exchange[];
  /** Calls excluded because `--include` or `--exclude` does not select their URL. */
  readonly filtered: readonly Exchange[];
  /** Number of calls excluded because plans do not support their method. */
  readonly oddMethods: number;
}

const METHOD = /^[A-Z][A-Z0-9_-]*$/i;

/**
 * Selects the calls that the plan sends. Excludes calls that are not part of the session, calls
 * with an unsupported method, and calls that `selection` does not select.
 */
export function keptCalls(
  exchanges: readonly Exchange[],
  selection: CallSelection = {},
): KeptCalls {
  const { kept, dropped } = filterExchanges(exchanges, selection.keepStatic);
  const callable = kept.filter(({ request }) => METHOD.test(request.method));
  const otherOrigins: Exchange[] = [];
  const filtered: Exchange[] = [];
  const selected = callable.filter((exchange) => {
    const { url } = exchange.request;
    if (!isOriginKept(url, selection.origins)) otherOrigins.push(exchange);
    else if (!matchesFilters(url, selection)) filtered.push(exchange);
    else return true;
    return false;
  });
  return {
    exchanges: selected,
    dropped,
    otherOrigins,
    filtered,
    oddMethods: kept.length - callable.length,
  };
}

/** Reason why a plan excludes a recorded call. */
export type DropKind =
  | "static asset"
  | "data: URL"
  | "blob: URL"
  | "browser extension"
  | "WebSocket"
  | "other scheme"
  | "CONNECT"
  | "repeated by the browser"
  | "no response";

/** Result of `filterExchanges`: the exchanges that a plan can send, and the excluded ones. */
export interface Filtered {
  /** Exchanges that a plan can send, in their original order. */
  readonly kept: readonly Exchange[];
  /**
   * Excluded exchanges, keyed by reason. The reasons are in the order in which they first occur.
   */
  readonly dropped: ReadonlyMap<DropKind, readonly Exchange[]>;
}

/**
 * Separates the calls that a plan can send from calls that it must not or need not send, such as
 * those for static assets unless `keepStatic` is true. Keeps the original order.
 */
export function filterExchanges(
  exchanges: readonly Exchange[],
  keepStatic = false,
): Filtered {
  const kept: Exchange[] = [];
  const dropped = new Map<DropKind, Exchange[]>();
  const assets = new Set<string>();
  const earlier = new Set<string>();
  for (const exchange of exchanges) {
    const { method, url } = exchange.request;
    const key = `${method} ${url}`;
    const isRepeated = isLocal(exchange) && earlier.has(key);
    const kind = dropKind(exchange, assets, keepStatic) ??
      (isRepeated ? "repeated by the browser" : undefined);
    earlier.add(key);
    if (kind === "static asset") assets.add(url);
    const list = kind === undefined ? kept : dropped.get(kind);
    if (list === undefined) dropped.set(kind!, [exchange]);
    else list.push(exchange);
  }
  return { kept, dropped };
}

/**
 * Returns the reason why a plan excludes a call, or undefined if the plan keeps the call. `assets`
 * contains the URLs of static assets in earlier calls.
 */
function dropKind(
  exchange: Exchange,
  assets: ReadonlySet<string>,
  keepStatic: boolean,
): DropKind | undefined {
  const { request, response } = exchange;
  if (request.method === "CONNECT") return "CONNECT";
  const scheme = schemeKind(request.url);
  if (scheme !== undefined) return scheme;
  if (response.status === 101) return "WebSocket";
  if (!keepStatic && (isStaticCall(request, response.mimeType) || isUnchanged(exchange, assets))) {
    return "static asset";
  }
  return response.status === 0 && !response.unrecorded ? "no response" : undefined;
}

/** Reports whether the browser served a call itself: from a cache, or with a service worker. */
export function isLocal({ cached, worker }: Exchange): boolean {
  return cached === true || worker === "handled";
}

/** Reports whether a call requests a static asset again and gets a response with status 304. */
function isUnchanged({ request, response }: Exchange, assets: ReadonlySet<string>): boolean {
  return response.status === 304 && request.purpose !== "script" && assets.has(request.url);
}

const HTTP = /^https?:/i;

function schemeKind(url: string): DropKind | undefined {
  if (HTTP.test(url)) return undefined;
  const scheme = /^[^:]*/.exec(url)![0].toLowerCase();
  if (scheme === "http" || scheme === "https") return undefined;
  if (scheme === "data" || scheme === "blob") return `${scheme}: URL`;
  if (scheme === "ws" || scheme === "wss") return "WebSocket";
  return scheme.endsWith("-extension") ? "browser extension" : "other scheme";
}

/**
 * Names of headers that the plan does not send: those that the client or its connection sets, and
 * cookies (the cookie jar sends them).
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
]);

/**
 * Names of the conditional headers of a browser cache. The plan does not send them in GET and HEAD
 * requests. In other requests, they guard writes: `If-None-Match: *` only creates, never
 * overwrites.
 */
const CACHE_CONDITIONS = new Set(["if-none-match", "if-modified-since", "if-range"]);

/**
 * Returns the headers that the plan sends, with their recorded names. Joins the values of headers
 * that have the same name (RFC 9110). Converts user info in the URL to an `Authorization` header,
 * as browsers do.
 */
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
    kept.set(
      key,
      first ? { name: first.name, value: `${first.value}, ${value}` } : header,
    );
  }
  const authorization = kept.has("authorization") ? undefined : basicAuthorization(url);
  if (authorization !== undefined) {
    kept.set("authorization", { name: "Authorization", value: authorization });
  }
  return [...kept.values()];
}

function basicAuthorization(url: string): string | undefined {
  if (!url.includes("@") || !/^https?:\/\/[^/?#]*@/i.test(url)) return undefined;
  const { username, password } = new URL(url);
  const plain = [username, password].map((text) => percentDecodedText(text, false));
  return `Basic ${new TextEncoder().encode(plain.join(":")).toBase64()}`;
}

/**
 * Reports whether a `Content-Type` is that of a multipart body that the plan re-encodes or does not
 * contain. The boundary in the header would then be wrong.
 */
function isBoundToBody(contentType: string, body: RequestBody | undefined): boolean {
  return body?.kind === "multipart" || (body === undefined && /^\s*multipart\//i.test(contentType));
}

/**
 * Returns the headers that the plan omits from a request, its body and its body parts, because
 * their name or value is invalid in HTTP.
 */
export function unsendableHeaders({ headers, body }: RecordedRequest): NameValue[] {
  const fields = headers.filter(isUnsendable);
  if (body === undefined) return fields;
  const types = bodyContentTypes(body).map((value) => ({ name: "Content-Type", value }));
  return [...fields, ...types.filter((field) => !isSendable(field))];
}

function isUnsendable(header: NameValue): boolean {
  return !isSendable(header) && !isDropped(header.name.toLowerCase());
}

function bodyContentTypes(body: RequestBody): string[] {
  const parts = body.kind === "multipart" ? body.parts : [];
  return [body.contentType, ...parts.map(({ contentType = "" }) => contentType)];
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const BREAKS_HEADER = /[\r\n\0]/;

/** Reports whether a header value contains neither a line break nor NUL, as RFC 9110 requires. */
export function isSendableValue(value: string): boolean {
  return !BREAKS_HEADER.test(value);
}

/**
 * Reports whether a header's name is a token and its value contains neither a line break nor NUL,
 * as RFC 9110 requires.
 */
function isSendable({ name, value }: NameValue): boolean {
  return HEADER_NAME.test(name) && isSendableValue(value);
}

function isDropped(key: string): boolean {
  return key === "" || key.startsWith(":") || key.startsWith("proxy-") || DROPPED.has(key);
}
