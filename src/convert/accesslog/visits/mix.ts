/** Counts of each visit pattern, and of single requests to each endpoint. */
export interface Mix {
  /** Count of each pattern; whole numbers. */
  readonly patterns: readonly number[];
  /** Requests to each endpoint that the patterns do not cover; only endpoints with such requests. */
  readonly singles: ReadonlyMap<string, number>;
}

/**
 * Weights visit patterns and single requests so that every endpoint is requested as often as in the log. A
 * pattern counts as often as its visits, unless an endpoint would then be requested more often than in the
 * log. Single requests make up the difference. `patterns` are the endpoints of each pattern and its
 * number of visits; `requests` is the count of every endpoint.
 */
export function buildMix(
  patterns: readonly { readonly steps: readonly string[]; readonly visits: number }[],
  requests: ReadonlyMap<string, number>,
): Mix {
  let counts = patterns.map(({ visits }) => visits);
  for (let round = 0; round < 100; round++) {
    const produced = countRequests(patterns, counts);
    const excess = (endpoint: string) =>
      Math.max(1, produced.get(endpoint)! / (requests.get(endpoint) ?? 0));
    const next = counts.map((count, i) => count / Math.max(...patterns[i].steps.map(excess)));
    if (next.every((count, i) => count === counts[i])) break;
    counts = next;
  }
  const whole = counts.map(Math.floor);
  const produced = countRequests(patterns, whole);
  const singles = [...requests].map(([endpoint, count]) =>
    [endpoint, count - (produced.get(endpoint) ?? 0)] as const
  );
  return { patterns: whole, singles: new Map(singles.filter(([, count]) => count > 0)) };
}

/** Returns the requests to each endpoint that the patterns send with these counts. */
function countRequests(
  patterns: readonly { readonly steps: readonly string[] }[],
  counts: readonly number[],
): Map<string, number> {
  const produced = new Map<string, number>();
  for (const [i, { steps }] of patterns.entries()) {
    for (const step of steps) produced.set(step, (produced.get(step) ?? 0) + counts[i]);
  }
  return produced;
}
