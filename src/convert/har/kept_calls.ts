import type { Exchange } from "../../traffic/har/exchange.ts";
import { type DropKind, filterExchanges } from "../../traffic/har/filter.ts";
import { httpOrigin } from "../../traffic/har/http_origin.ts";

/** The calls of a recording that the plan sends, and those that it leaves out. */
export interface KeptCalls {
  readonly exchanges: readonly Exchange[];
  /** Left out by kind. */
  readonly dropped: ReadonlyMap<DropKind, readonly Exchange[]>;
  /** Left out by `origins`. */
  readonly otherOrigins: readonly Exchange[];
  /** Left out because no plan can name their method. */
  readonly oddMethods: number;
}

const METHOD = /^[A-Z][A-Z0-9_-]*$/i;

/** Leaves out what is no call of the journey, and origins that were not asked for. */
export function keptCalls(
  exchanges: readonly Exchange[],
  origins: readonly string[] | undefined,
): KeptCalls {
  const { kept, dropped } = filterExchanges(exchanges);
  const callable = kept.filter(({ request }) => METHOD.test(request.method));
  const asked = callable.filter(({ request }) => isOriginKept(request.url, origins));
  const others = callable.filter(({ request }) => !isOriginKept(request.url, origins));
  return {
    exchanges: asked,
    dropped,
    otherOrigins: others,
    oddMethods: kept.length - callable.length,
  };
}

/** How many calls went to each origin, most first. */
export function countOrigins(exchanges: readonly Exchange[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { request } of exchanges) {
    const origin = httpOrigin(request.url);
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

/** Whether a URL's origin or host is among those that were asked for; all are when none was named. */
export function isOriginKept(url: string, origins: readonly string[] | undefined): boolean {
  if (origins === undefined) return true;
  const { origin, host } = new URL(url);
  return origins.some((asked) => [origin, host].includes(asked.toLowerCase()));
}
