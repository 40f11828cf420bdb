import { headerValue } from "./har_fields.ts";
import type { Exchange } from "./recording.ts";

/** Returns the origin of an absolute http(s) URL, such as `https://shop.example:8443`. */
export function httpOrigin(url: string): string {
  return originIn(url) ?? new URL(url).origin;
}

/**
 * Returns the origin of the URL in `text`, or undefined if `text` is not an absolute http(s) URL.
 */
function originIn(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** The origin that receives the most calls, and the site that the user visited. */
export interface MainOrigin {
  readonly origin: string;
  /** Site that the user visited, or undefined if the calls contain no evidence of it. */
  readonly visited: VisitedSite | undefined;
}

/** The site that the user of a recorded browser visited. */
export interface VisitedSite {
  /** Registrable domain, or an IP address. */
  readonly site: string;
  /**
   * Number of calls whose `Origin` or `Referer` header contains a page of the site. 0 if
   * `navigated` is true, or if the evidence is only calls to the site without these headers.
   */
  readonly named: number;
  /** True if the evidence is the first navigation. */
  readonly navigated: boolean;
}

/**
 * Finds the origin that receives the most calls, and the site that the user visited. If several
 * origins receive the same number of calls, chooses the one that occurs in the `Origin` or
 * `Referer` header of more calls. If these numbers are also equal, chooses the origin that occurs
 * first. Does not count CORS preflight requests or WebSocket messages. Returns undefined if there
 * are no calls.
 *
 * Calls to trackers and CDNs of other sites can outnumber the calls to the visited site. Each call
 * is a vote for the site of the page in its `Origin` or `Referer` header, or for its own site if it
 * has neither. Sites without calls do not count. If no header contains a page of a site with calls,
 * the visited site is that of the first navigation.
 */
export function findMainOrigin(exchanges: readonly Exchange[]): MainOrigin | undefined {
  const counts = new Map<string, number>();
  const namings = new Map<string, number>();
  const voters = new Map<string, number>();
  for (const exchange of exchanges) {
    const origin = httpOrigin(exchange.request.url);
    const count = isOwnCall(exchange) ? 1 : 0;
    const named = namedOrigin(exchange);
    add(counts, origin, count);
    if (named !== undefined) add(namings, named, 1);
    add(voters, named ?? origin, named === undefined ? count : 1);
  }
  // Adds less than one call, so that names decide only between equally frequent origins.
  const origin = highest(
    [...counts].map(([origin, count]) =>
      [origin, count + (namings.get(origin) ?? 0) / (exchanges.length + 1)] as const
    ),
  );
  if (origin === undefined) return undefined;
  const [votes, siteNamings] = [voters, namings].map(addUpSites);
  const called = new Set([...counts.keys()].map(siteOf));
  const isNamed = [...siteNamings.keys()].some((site) => called.has(site));
  const navigation = isNamed ? undefined : firstNavigation(exchanges);
  const site = isNamed
    ? highest([...votes].filter(([site]) => called.has(site)))
    : navigation && siteOf(httpOrigin(navigation.request.url));
  return {
    origin,
    visited: site === undefined
      ? undefined
      : { site, named: siteNamings.get(site) ?? 0, navigated: !isNamed },
  };
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/**
 * Adds up the numbers of all origins that belong to the same site. Returns the sum for each site.
 */
function addUpSites(numbers: ReadonlyMap<string, number>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [origin, number] of numbers) add(sums, siteOf(origin), number);
  return sums;
}

/**
 * Returns the key with the highest number. Returns the first such key if several have this number,
 * or undefined if there are no entries.
 */
function highest(entries: Iterable<readonly [string, number]>): string | undefined {
  let best: readonly [string, number] | undefined;
  for (const entry of entries) if (best === undefined || entry[1] > best[1]) best = entry;
  return best?.[0];
}

/** Reports whether a call is neither a CORS preflight request nor a WebSocket message. */
function isOwnCall({ request: { method, headers }, socketPart }: Exchange): boolean {
  return socketPart === undefined &&
    !(method === "OPTIONS" && headerValue(headers, "access-control-request-method") !== undefined);
}

/**
 * Returns the origin of the page that made a call, or undefined if its headers contain no http(s)
 * URL. Apps and browser extensions send URLs such as `android-app://com.example/`.
 */
function namedOrigin({ request: { headers } }: Exchange): string | undefined {
  for (const name of ["origin", "referer"]) {
    const value = headerValue(headers, name);
    const origin = value === undefined ? undefined : originIn(value);
    if (origin !== undefined) return origin;
  }
  return undefined;
}

/**
 * Returns the first call that navigates to a page, or to a redirect before the first page. Returns
 * undefined if the calls contain no page. A page in a frame counts too, unless a header of its
 * request shows that it is for a frame.
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
