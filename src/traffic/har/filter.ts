import type { Exchange } from "./exchange.ts";
import { isStaticCall } from "./static_asset.ts";

/** Reason why a plan excludes a recorded call. */
export type DropKind =
  | "static asset"
  | "data: URL"
  | "blob: URL"
  | "browser extension"
  | "WebSocket"
  | "other scheme"
  | "CONNECT"
  | "no response";

/** Result of `filterExchanges`: the exchanges that a plan can send, and the excluded ones. */
export interface Filtered {
  /** Exchanges that a plan can send, in their original order. */
  readonly kept: readonly Exchange[];
  /** Excluded exchanges by reason. The reasons are in the order in which they first occur. */
  readonly dropped: ReadonlyMap<DropKind, readonly Exchange[]>;
}

/**
 * Separates the calls that a plan can send from those that it must not or need not send, such as static
 * assets. Keeps the original order.
 */
export function filterExchanges(exchanges: readonly Exchange[]): Filtered {
  const kept: Exchange[] = [];
  const dropped = new Map<DropKind, Exchange[]>();
  for (const exchange of exchanges) {
    const kind = dropKind(exchange);
    const list = kind === undefined ? kept : dropped.get(kind);
    if (list === undefined) dropped.set(kind!, [exchange]);
    else list.push(exchange);
  }
  return { kept, dropped };
}

function dropKind({ request, response }: Exchange): DropKind | undefined {
  if (request.method === "CONNECT") return "CONNECT";
  const scheme = schemeKind(request.url);
  if (scheme !== undefined) return scheme;
  if (response.status === 101) return "WebSocket";
  if (isStaticCall(request, response.mimeType)) return "static asset";
  return response.status === 0 && !response.unrecorded ? "no response" : undefined;
}

function schemeKind(url: string): DropKind | undefined {
  const scheme = /^[^:]*/.exec(url)![0].toLowerCase();
  if (scheme === "http" || scheme === "https") return undefined;
  if (scheme === "data" || scheme === "blob") return `${scheme}: URL`;
  if (scheme === "ws" || scheme === "wss") return "WebSocket";
  return scheme.endsWith("-extension") ? "browser extension" : "other scheme";
}
