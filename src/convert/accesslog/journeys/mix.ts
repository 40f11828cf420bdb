/** How often each journey is made, and each endpoint asked for beside them. */
export interface Mix {
  /** By journey, whole numbers. */
  readonly journeys: readonly number[];
  /** By endpoint, what the journeys leave of its requests; only where something is left. */
  readonly singles: ReadonlyMap<string, number>;
}

/**
 * Makes every endpoint come up as often as in the log: journeys as often as they were made, but never so
 * often that an endpoint comes up more; what is missing, as single requests. `journeys` are their
 * endpoints and how often they were made, `requests` is every endpoint's count.
 */
export function buildMix(
  journeys: readonly { readonly steps: readonly string[]; readonly visits: number }[],
  requests: ReadonlyMap<string, number>,
): Mix {
  let made = journeys.map(({ visits }) => visits);
  for (let round = 0; round < 100; round++) {
    const produced = producedBy(journeys, made);
    const excess = (endpoint: string) =>
      Math.max(1, produced.get(endpoint)! / (requests.get(endpoint) ?? 0));
    const next = made.map((count, i) => count / Math.max(...journeys[i].steps.map(excess)));
    if (next.every((count, i) => count === made[i])) break;
    made = next;
  }
  const whole = made.map(Math.floor);
  const produced = producedBy(journeys, whole);
  const singles = [...requests].map(([endpoint, count]) =>
    [endpoint, count - (produced.get(endpoint) ?? 0)] as const
  );
  return { journeys: whole, singles: new Map(singles.filter(([, count]) => count > 0)) };
}

function producedBy(
  journeys: readonly { readonly steps: readonly string[] }[],
  made: readonly number[],
): Map<string, number> {
  const produced = new Map<string, number>();
  for (const [i, { steps }] of journeys.entries()) {
    for (const step of steps) produced.set(step, (produced.get(step) ?? 0) + made[i]);
  }
  return produced;
}
