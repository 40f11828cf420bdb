/** Returns the origin of an absolute http(s) URL, such as `https://shop.example:8443`. */
export function httpOrigin(url: string): string {
  return new URL(url).origin;
}

/**
 * Returns the most frequent origin of the given URLs, or undefined if there are no URLs. If several
 * origins are equally frequent, returns the one that occurs first.
 */
export function mostCommonOrigin(urls: Iterable<string>): string | undefined {
  const counts = new Map<string, number>();
  for (const url of urls) counts.set(httpOrigin(url), (counts.get(httpOrigin(url)) ?? 0) + 1);
  let [best, most]: [string | undefined, number] = [undefined, 0];
  for (const [origin, count] of counts) if (count > most) [best, most] = [origin, count];
  return best;
}
