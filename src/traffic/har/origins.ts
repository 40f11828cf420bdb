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

/** Returns the registrable domain of an origin, or an IP address. A provider's may be shared. */
export function siteOf(origin: string): string {
  // A host may end with the dot of the DNS root.
  const hostname = new URL(origin).hostname.replace(/\.$/, "");
  if (/^[\d.]+$|:/.test(hostname)) return hostname;
  return hostname.split(".").slice(REGISTRY.test(hostname) ? -3 : -2).join(".");
}

/** The origin that receives the most calls, and the site that the user visited (see `siteOf`). */
export interface MainOrigin {
  readonly origin: string;
  readonly visited: string;
}

/**
 * Finds the origin of the most calls, and the site that the user visited, because calls to trackers
 * can outnumber those to it. Each call votes for the site of the page in its `Origin` or `Referer`
 * header, or else its own. Such pages also decide between origins of equally many calls.
 */
export function findMainOrigin(exchanges: readonly Exchange[]): MainOrigin | undefined {
  const counts = new Map<string, number>();
  const votes = new Map<string, number>();
  const origins = exchanges.map(({ request }) => httpOrigin(request.url));
  const pages = exchanges.map(pageOrigin);
  for (const [i, exchange] of exchanges.entries()) {
    add(counts, origins[i], isOwnCall(exchange) ? 1 : 0);
  }
  const called = new Set([...counts.keys()].map(siteOf));
  for (const [i, exchange] of exchanges.entries()) {
    const page = pages[i] && siteOf(pages[i]);
    if (page !== undefined && called.has(page)) add(votes, page, 1);
    else if (isOwnCall(exchange)) add(votes, siteOf(origins[i]), 1);
  }
  // Adds less than one call, so that names decide only between equally frequent origins.
  for (const page of pages) if (page && counts.has(page)) add(counts, page, 1 / (pages.length + 1));
  const origin = highest([...counts]);
  return origin === undefined
    ? undefined
    : { origin, visited: highest([...votes]) ?? siteOf(origin) };
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

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

const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => text.replaceAll("/", "\\/"),
];

/** Replaces the recorded origin: in URLs, also encoded or escaped, and in `host:port`. */
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
