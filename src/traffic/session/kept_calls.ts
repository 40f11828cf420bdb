import { REDIRECT_STATUSES } from "../../http/redirect.ts";
import { isStaticCall } from "../har/entry.ts";
import { httpOrigin } from "../har/origins.ts";
import { type Exchange, headerValue } from "../har/recording.ts";
import { hasMessages, socketHttpUrl, withSocketCalls } from "../har/socket_messages.ts";
import { hasClock, type RecordedCall } from "./recorded_call.ts";

/** Options that select the calls of a plan. An absent or empty option selects all calls. */
export interface CallSelection {
  /** Origins or hosts, such as `api.example.com`, with a port unless it is the default. */
  readonly origins?: readonly string[];
  readonly include?: readonly RegExp[];
  readonly exclude?: readonly RegExp[];
  /** Whether to keep static assets, or the URLs of those to keep. */
  readonly keepStatic?: boolean | ReadonlySet<string>;
}

/** Ignores `keepStatic`. */
export function isSelected(url: string, selection: CallSelection): boolean {
  return isOriginKept(url, selection.origins) && matchesFilters(url, selection);
}

function isOriginKept(url: string, origins: readonly string[] | undefined): boolean {
  if (origins === undefined) return true;
  const { origin, host } = new URL(url);
  return origins.some((kept) => [origin, host].includes(kept.toLowerCase()));
}

function matchesFilters(
  url: string,
  { include = [], exclude = [] }: CallSelection,
): boolean {
  if (include.length === 0 && exclude.length === 0) return true;
  const sent = url.replace(/#.*$/s, "");
  return (include.length === 0 || include.some((pattern) => pattern.test(sent))) &&
    !exclude.some((pattern) => pattern.test(sent));
}

/** Returns the number of calls to each origin, highest first. */
export function countOrigins(exchanges: readonly Exchange[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { request } of exchanges) {
    const origin = httpOrigin(request.url);
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

/** Reason why a plan excludes a recorded call. */
export type DropKind =
  | "static assets"
  | "WebSocket"
  | "other scheme"
  | "CONNECT"
  | "repeated by the browser"
  | "redirected by the browser"
  | "no response"
  | "unsupported method"
  | "other origin"
  | "filtered";

/** The calls of a recording that the plan sends, and those that it excludes. */
export interface KeptCalls {
  readonly exchanges: readonly Exchange[];
  readonly dropped: ReadonlyMap<DropKind, readonly Exchange[]>;
}

/** Excludes calls outside of the session, of other methods, and that are not selected. */
export function keptCalls(
  exchanges: readonly Exchange[],
  selection: CallSelection = {},
): KeptCalls {
  const kept: Exchange[] = [];
  const dropped = new Map<DropKind, Exchange[]>();
  const { keepStatic = false } = selection;
  const assets = new Set<string>();
  const earlier = new Set<string>();
  for (const exchange of exchanges) {
    const { method, url } = exchange.request;
    const key = `${method} ${url}`;
    const isRepeated = isLocal(exchange) && earlier.has(key);
    const isAssetKept = typeof keepStatic === "boolean" ? keepStatic : keepStatic.has(url);
    const kind = outsideKind(exchange, assets, isAssetKept) ??
      (isRepeated ? "repeated by the browser" : unselectedKind(exchange, selection));
    earlier.add(key);
    if (kind === "static assets") assets.add(url);
    const list = kind === undefined ? kept : dropped.get(kind);
    if (list === undefined) dropped.set(kind!, [exchange]);
    else list.push(exchange);
  }
  return { exchanges: kept, dropped };
}

/** Adds the opening and the messages of recorded WebSockets, unless the recording has no times. */
export function withSockets(kept: KeptCalls, selection: CallSelection): KeptCalls {
  const isSent = (exchange: Exchange) =>
    hasMessages(exchange) && isSelected(socketHttpUrl(exchange.request.url), selection);
  const all = kept.dropped.get("WebSocket") ?? [];
  const sockets = all.filter(isSent);
  const timed = [...kept.exchanges, ...sockets];
  if (sockets.length === 0 || timed.length > 1 && !hasClock(timed)) return kept;
  const others = all.filter((exchange) => !isSent(exchange));
  const dropped = new Map(kept.dropped);
  if (others.length > 0) dropped.set("WebSocket", others);
  else dropped.delete("WebSocket");
  return { ...kept, exchanges: withSocketCalls(kept.exchanges, sockets), dropped };
}

/** `assets` contains the URLs of static assets in earlier calls. */
function outsideKind(
  exchange: Exchange,
  assets: ReadonlySet<string>,
  isAssetKept: boolean,
): DropKind | undefined {
  const { request, response } = exchange;
  if (request.method === "CONNECT") return "CONNECT";
  const scheme = schemeKind(request.url);
  if (scheme !== undefined) return scheme;
  if (response.status === 101) return "WebSocket";
  if (exchange.redirected) return "redirected by the browser";
  const isUnchanged = response.status === 304 && request.purpose !== "script" &&
    assets.has(request.url);
  const isStatic = isStaticCall(request, response.mimeType) && !isRun(exchange);
  if (!isAssetKept && (isStatic || isUnchanged)) {
    return "static assets";
  }
  return response.status === 0 && !response.unrecorded ? "no response" : undefined;
}

/** Matches the path of a program that a server runs. */
const PROGRAM = /\.(?:php\d?|cgi|pl|aspx?|ashx|jspx?|cfm)$/i;

/** A program made an image that no one may store: the call may do other work. */
function isRun({ request: { url }, response: { mimeType, headers } }: Exchange): boolean {
  return mimeType.startsWith("image/") && PROGRAM.test(url.replace(/[?#].*$/s, "")) &&
    /\bno-store\b/i.test(headerValue(headers, "cache-control") ?? "");
}

function unselectedKind({ request }: Exchange, selection: CallSelection): DropKind | undefined {
  if (!/^[A-Z][A-Z0-9_-]*$/i.test(request.method)) return "unsupported method";
  if (!isOriginKept(request.url, selection.origins)) return "other origin";
  return matchesFilters(request.url, selection) ? undefined : "filtered";
}

/** Reports whether the browser served a call itself: from a cache, or with a service worker. */
export function isLocal({ cached, worker }: Exchange): boolean {
  return cached === true || worker === "handled";
}

function schemeKind(url: string): DropKind | undefined {
  const scheme = /^[^:]*/.exec(url)![0].toLowerCase();
  if (scheme === "http" || scheme === "https") return undefined;
  return scheme === "ws" || scheme === "wss" ? "WebSocket" : "other scheme";
}

/** The recorded redirects that the plan follows, and those at which it stops. */
export interface Redirects {
  readonly stopped: ReadonlySet<RecordedCall>;
  readonly followed: ReadonlySet<RecordedCall>;
}

/**
 * Stops at a redirect whose target a later call requests (with `http:` or `https:`), each call
 * being the target of one, or if `mustStop`. Otherwise, follows it.
 */
export function sortRedirects(
  calls: readonly RecordedCall[],
  mustStop: (call: RecordedCall, target: string) => boolean,
): Redirects {
  const stopped = new Set<RecordedCall>();
  const followed = new Set<RecordedCall>();
  // Most recordings of an API contain no redirect, and normalizing each URL takes time.
  let byUrl: Map<string, RecordedCall[]> | undefined;
  for (const call of calls) {
    const target = redirectTarget(call);
    if (target === undefined) continue;
    byUrl ??= Map.groupBy(calls, ({ exchange }) => withoutFragment(exchange.request.url));
    const isStopped = [target, withOtherScheme(target)]
      .some((url) => takeNext(byUrl!.get(url) ?? [], call)) || mustStop(call, target);
    (isStopped ? stopped : followed).add(call);
  }
  return { stopped, followed };
}

/** Returns the URL of a redirect's target without its fragment, or undefined. */
export function redirectTarget(
  { exchange: { request, response } }: Pick<RecordedCall, "exchange">,
): string | undefined {
  if (!REDIRECT_STATUSES.has(response.status)) return undefined;
  const location = headerValue(response.headers, "location");
  return location === undefined ? undefined : resolveUrl(location, request.url);
}

/** Returns the absolute URL of an address, without its fragment. Undefined if it is invalid. */
export function resolveUrl(address: string, base: string): string | undefined {
  return URL.canParse(address, base) ? withoutFragment(address, base) : undefined;
}

function takeNext(calls: RecordedCall[], { order }: RecordedCall): boolean {
  const next = calls.findIndex((call) => call.order > order);
  if (next < 0) return false;
  calls.splice(0, next + 1);
  return true;
}

/** Browsers change the scheme for hosts that require HTTPS, which some recorders omit. */
function withOtherScheme(url: string): string {
  return url.startsWith("https:") ? `http:${url.slice(6)}` : `https:${url.slice(5)}`;
}

function withoutFragment(text: string, base?: string): string {
  const url = new URL(text, base);
  url.hash = "";
  return url.href;
}
