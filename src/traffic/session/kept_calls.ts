import type { Exchange } from "../har/exchange.ts";
import { type DropKind, filterExchanges } from "../har/filter.ts";
import { httpOrigin } from "../har/http_origin.ts";

/** The calls of a recording that the plan sends, and those that it excludes. */
export interface KeptCalls {
  readonly exchanges: readonly Exchange[];
  /** Calls that are not part of the session, by the reason for their exclusion, such as static assets. */
  readonly dropped: ReadonlyMap<DropKind, readonly Exchange[]>;
  /** Calls excluded because `HarOptions.origins` does not contain their origin. */
  readonly otherOrigins: readonly Exchange[];
  /** Number of calls excluded because plans do not support their method. */
  readonly oddMethods: number;
}

const METHOD = /^[A-Z][A-Z0-9_-]*$/i;

/**
 * Selects the calls that the plan sends. Excludes calls that are not part of the session, that have an
 * unsupported method, or that go to other origins than `origins` (undefined allows all).
 */
export function keptCalls(
  exchanges: readonly Exchange[],
  origins: readonly string[] | undefined,
): KeptCalls {
  const { kept, dropped } = filterExchanges(exchanges);
  const callable = kept.filter(({ request }) => METHOD.test(request.method));
  const selected = callable.filter(({ request }) => isOriginKept(request.url, origins));
  const others = callable.filter(({ request }) => !isOriginKept(request.url, origins));
  return {
    exchanges: selected,
    dropped,
    otherOrigins: others,
    oddMethods: kept.length - callable.length,
  };
}

/** Returns the number of calls to each origin, the most frequent origin first. */
export function countOrigins(exchanges: readonly Exchange[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { request } of exchanges) {
    const origin = httpOrigin(request.url);
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

/** Reports whether `origins` contains the origin or host of a URL; always true if `origins` is undefined. */
export function isOriginKept(url: string, origins: readonly string[] | undefined): boolean {
  if (origins === undefined) return true;
  const { origin, host } = new URL(url);
  return origins.some((one) => [origin, host].includes(one.toLowerCase()));
}
