import type { Draft } from "../correlate/draft.ts";

/** Recorded redirects, by what becomes of their target. */
export interface Redirects {
  /** The target is a later call of the recording, which sends it. */
  readonly recorded: ReadonlySet<Draft>;
  /** The target is not among the calls. */
  readonly unrecorded: ReadonlySet<Draft>;
}

/**
 * Finds each redirect's target: the first call that was made to it afterwards and that no earlier
 * redirect led to.
 */
export function findRedirects(drafts: readonly Draft[]): Redirects {
  const calls = Map.groupBy(
    drafts,
    ({ exchange }) => withoutFragment(new URL(exchange.request.url)),
  );
  const recorded = new Set<Draft>();
  const unrecorded = new Set<Draft>();
  for (const draft of drafts) {
    const target = targetOf(draft);
    if (target === undefined) continue;
    const candidates = calls.get(target) ?? [];
    const next = candidates.findIndex(({ order }) => order > draft.order);
    if (next >= 0) candidates.splice(0, next + 1);
    (next >= 0 ? recorded : unrecorded).add(draft);
  }
  return { recorded, unrecorded };
}

/** The URL that a response sends its client on to. */
export function targetOf({ exchange: { request, response } }: Draft): string | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const location = response.headers.find(({ name }) => name.toLowerCase() === "location")?.value;
  if (location === undefined || !URL.canParse(location, request.url)) return undefined;
  return withoutFragment(new URL(location, request.url));
}

function withoutFragment(url: URL): string {
  url.hash = "";
  return url.href;
}
