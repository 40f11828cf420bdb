/** Relative weights of the visit patterns and single requests of a plan. */
export interface Mix {
  /**
   * Weights in the order of the patterns. A weight is the number of times that the pattern runs, an
   * integer of at least 0.
   */
  readonly patterns: readonly number[];
  /**
   * Maps each endpoint to its number of recorded requests that are not part of a pattern. Omits
   * endpoints without such requests.
   */
  readonly singles: ReadonlyMap<string, number>;
}

/**
 * Weights visit patterns and single requests so that the plan sends as many requests to each
 * endpoint as the log contains. The weight of a pattern is its number of visits, or less if that
 * would send more requests to an endpoint than the log contains. Single requests make up the
 * difference. `steps` contains the endpoints of a pattern, and `requests` maps each endpoint to its
 * number of requests in the log.
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

/** Returns the number of requests to each endpoint if pattern `i` runs `counts[i]` times. */
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
