/** Minimum number of requests for a meaningful p95. */
const MIN_REQUESTS = 20;

/**
 * Note on how `slowestFirst` sorts endpoints with few requests. Reports show it if this rule
 * affects the order of the endpoints that they list.
 */
export const RANK_RULE = `endpoints with fewer than ${MIN_REQUESTS} requests rank last`;

/**
 * Sorts endpoints by p95, slowest first. Endpoints with fewer than 20 requests come last, and
 * endpoints without requests are omitted. All reports use this order.
 */
export function slowestFirst<Endpoint extends { readonly count: number }>(
  endpoints: readonly Endpoint[],
  p95: (endpoint: Endpoint) => number,
): Endpoint[] {
  return endpoints.filter(({ count }) => count > 0)
    .sort((a, b) => Number(isRare(a)) - Number(isRare(b)) || p95(b) - p95(a));
}

/** Reports whether only some of the endpoints have too few requests for a meaningful p95. */
export function hasRareEndpoints(endpoints: readonly { readonly count: number }[]): boolean {
  const sent = endpoints.filter(({ count }) => count > 0);
  return sent.some(isRare) && !sent.every(isRare);
}

function isRare({ count }: { readonly count: number }): boolean {
  return count < MIN_REQUESTS;
}
