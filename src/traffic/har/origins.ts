import { type Exchange, headerValue } from "./recording.ts";

/** Returns the origin of an absolute http(s) URL, such as `https://shop.example:8443`. */
export function httpOrigin(url: string): string {
  return originIn(url) ?? new URL(url).origin;
}

function originIn(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** Matches domains such as `co.uk` under which organizations register their own domains. */
const REGISTRY = /(?:^|\.)(?:ac|co|com|edu|go|gov|ne|net|or|org)\.[a-z]{2}$/;

/**
 * Returns the registrable domain of an origin, or its host if it is an IP address. Does not use the
 * public suffix list, so hosts of different customers of one provider can have the same site.
 */
export function siteOf(origin: string): string {
  // A host may end with the dot of the DNS root.
  const hostname = new URL(origin).hostname.replace(/\.$/, "");
  if (/^[\d.]+$|:/.test(hostname)) return hostname;
  return hostname.split(".").slice(REGISTRY.test(hostname) ? -3 : -2).join(".");
}

/** The origin that receives the most calls, and the site that the user visited. */
export interface MainOrigin {
  readonly origin: string;
  /** Site that the user visited (see `siteOf`), or undefined if the calls do not show it. */
  readonly visited: string | undefined;
}

/**
 * Finds the origin that receives the most calls, and the site that the user visited. If several
 * origins receive the same number of calls, chooses the one that occurs in the `Origin` or
 * `Referer` header of more calls, then the first. Does not count CORS preflight requests and
 * WebSocket messages. Returns undefined if there are no calls.
 *
 * Calls to trackers and CDNs of other sites can outnumber the calls to the visited site. Each call
 * is a vote for the site of the page in its `Origin` or `Referer` header, or for its own site if it
 * has neither. Sites without calls do not count. If no header contains a page of a site with calls,
 * the visited site is that of the first navigation.
 */
export function findMainOrigin(exchanges: readonly Exchange[]): MainOrigin | undefined {
  const counts = new Map<string, number>();
  const votes = new Map<string, number>();
  const pages = exchanges.map(pageOrigin);
  for (const [i, exchange] of exchanges.entries()) {
    const origin = httpOrigin(exchange.request.url);
    const count = isOwnCall(exchange) ? 1 : 0;
    const page = pages[i];
    add(counts, origin, count);
    add(votes, siteOf(page ?? origin), page === undefined ? count : 1);
  }
  // Adds less than one call, so that names decide only between equally frequent origins.
  for (const page of pages) if (page && counts.has(page)) add(counts, page, 1 / (pages.length + 1));
  const origin = highest([...counts]);
  if (origin === undefined) return undefined;
  const called = new Set([...counts.keys()].map(siteOf));
  if (pages.some((page) => page !== undefined && called.has(siteOf(page)))) {
    return { origin, visited: highest([...votes].filter(([site]) => called.has(site))) };
  }
  const navigation = firstNavigation(exchanges);
  return { origin, visited: navigation && siteOf(httpOrigin(navigation.request.url)) };
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** Returns the key with the highest number, and the first of several such keys. */
function highest(entries: readonly (readonly [string, number])[]): string | undefined {
  return entries.toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

function isOwnCall({ request: { method, headers }, socketPart }: Exchange): boolean {
  return socketPart === undefined &&
    !(method === "OPTIONS" && headerValue(headers, "access-control-request-method") !== undefined);
}

/** Returns the origin of the page that made a call. Apps send URLs such as `android-app://x/`. */
function pageOrigin({ request: { headers } }: Exchange): string | undefined {
  return originIn(headerValue(headers, "origin") ?? "") ??
    originIn(headerValue(headers, "referer") ?? "");
}

/**
 * Returns the first call that navigates to a page, or to a redirect before the first page. A page
 * in a frame counts too, unless a header of its request shows that it is for a frame.
 */
function firstNavigation(exchanges: readonly Exchange[]): Exchange | undefined {
  const navigations = exchanges.filter(({ request: { purpose, headers } }) =>
    purpose === undefined && (headerValue(headers, "sec-fetch-dest") ?? "document") === "document"
  );
  const isRedirect = ({ response: { status } }: Exchange) => status >= 300 && status < 400;
  const isHtml = ({ response: { mimeType } }: Exchange) =>
    mimeType === "text/html" || mimeType === "application/xhtml+xml";
  return navigations.some((exchange) => isHtml(exchange) && !isRedirect(exchange))
    ? navigations.find((exchange) => isHtml(exchange) || isRedirect(exchange))
    : undefined;
}

/** Functions that encode an origin, one for each form in which a string can contain it. */
const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => text.replaceAll("/", "\\/"),
];

/**
 * Returns a function that replaces the recorded origin in a string with the target's origin: in
 * URLs, in their percent-encoded and escaped forms, and in a separate `host:port`.
 */
export function originMover(recorded: string, target: string): (text: string) => string {
  if (recorded === target) return (text) => text;
  const [from, to] = [recorded, target].map((origin) => new URL(origin));
  const forms = FORMS.map((form) => [form(from.origin), form(to.origin)] as const);
  // A host without a port could be any word, such as `shop`.
  const isTelling = from.port !== "" || from.hostname.includes(".");
  const host = RegExp.escape(from.host);
  const pattern = new RegExp(
    `${forms.map(([form]) => RegExp.escape(form)).join("|")}${
      isTelling ? `|(?<![\\w.:-])${host}(?![\\w.:-])` : ""
    }`,
    "g",
  );
  const byForm = new Map<string, string>([...forms, [from.host, to.host]]);
  return (text) => text.replace(pattern, (found) => byForm.get(found) ?? found);
}
