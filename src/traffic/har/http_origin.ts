/**
 * Matches the scheme and authority of an absolute http(s) URL. Does not match if they contain
 * characters that a URL parser removes or treats as a slash, because these could change the origin.
 */
const START = /^https?:\/\/[\w.:@[\]-]+(?=[/?#]|$)/i;

/** Cache of origins by the start of the URL, because parsing a URL takes longer than the lookup. */
const known = new Map<string, string>();

/** Returns the origin of an absolute http(s) URL, such as `https://shop.example:8443`. */
export function httpOrigin(url: string): string {
  const start = START.exec(url)?.[0];
  if (start === undefined) return new URL(url).origin;
  let origin = known.get(start);
  if (origin === undefined) {
    origin = new URL(start).origin;
    if (known.size < 10_000) known.set(start, origin);
  }
  return origin;
}

/**
 * Returns the most frequent origin of the given URLs, or undefined if there are no URLs. If several
 * origins are equally frequent, returns the one that occurs first.
 */
export function mostCommonOrigin(urls: Iterable<string>): string | undefined {
  const counts = new Map<string, number>();
  for (const url of urls) {
    const origin = httpOrigin(url);
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  let [best, most]: [string | undefined, number] = [undefined, 0];
  for (const [origin, count] of counts) if (count > most) [best, most] = [origin, count];
  return best;
}
